"""A run as one page that needs no network: overview, tables, figures, and every question.

`page` puts it together. Tables and figures are written into the page here; what the dialogue
browser shows lies in it compressed, one piece per dialogue (`dialogue_data`, `packing`), and is
unpacked by the page's script (``script/``) when it is asked for. Model output and data are hostile:
`markup` escapes every text, the script sets text and nothing else, and the page's policy lets it
run one script, its own, and load nothing.
"""
