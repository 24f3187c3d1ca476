"""What is wrong with a data set, and the highest score that it leaves to a flawless answer."""

from memorycode.audit.report import AuditReport, audit_dataset, audit_dialogues

__all__ = ["AuditReport", "audit_dataset", "audit_dialogues"]
