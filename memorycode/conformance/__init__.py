"""The conformance kit: does a strategy do what the harness relies on?

`kit` tries the `checks` on one strategy in a process of its own; `synthetic_dialogues` are what it
plays, `stand_ins` the models and the embedder.
"""
