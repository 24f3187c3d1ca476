"""Reads conversations: who speaks, in which turns, in which sentences. Nothing else does.

A transcript is paragraphs that open with ``Name:``. Labels may be misspelt, shortened to initials,
decorated or missing; names that are known are taken literally, whatever stands in them.

    names      what may be a speaker's name, and how alike two spellings of one are
    labels     where in a text something stands that may be a name before a colon
    speakers   whose labels these are
    turns      the text cut at the labels of the two speakers
    sentences  a text cut into sentences
"""

from memorycode.transcripts.sentences import Sentence, sentence_ends, sentences, sentences_of
from memorycode.transcripts.speaker_labels import Label, label_of, labels_in
from memorycode.transcripts.speaker_names import (
    SPEAKER_NAME,
    Spelling,
    is_heading,
    looks_like_name,
    spelling_of,
)
from memorycode.transcripts.turns import Turn, joined, labelled, turns_in, turns_of

__all__ = [
    "SPEAKER_NAME",
    "Label",
    "Sentence",
    "Spelling",
    "Turn",
    "is_heading",
    "joined",
    "label_of",
    "labelled",
    "labels_in",
    "looks_like_name",
    "sentence_ends",
    "sentences",
    "sentences_of",
    "spelling_of",
    "turns_in",
    "turns_of",
]
