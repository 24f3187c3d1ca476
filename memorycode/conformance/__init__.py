"""The conformance kit: does a strategy do what a run relies on?

`kit` tries the `checks` on one strategy in a process of its own; `synthetic_dialogues` are what it
plays, `stand_ins` the models and the embedder.
"""
