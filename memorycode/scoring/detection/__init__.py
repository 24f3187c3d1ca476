"""From a text to the coding rules stated in it."""

from memorycode.scoring.detection.detector import Detection, detect

__all__ = ["Detection", "detect"]
