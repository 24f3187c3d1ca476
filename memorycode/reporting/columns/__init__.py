"""The columns of a run's tables, each said once, for the terminal and for the page.

`table` says what tables, columns and cells are, `cells` how values become text. `scores`,
`repeats`, `memory` and `spending` have the columns, in groups: a column that is added there is in
every table that has its group, in both media. `reporting.run_tables` puts groups together;
`reporting.terminal` and `reporting.html.data_table` draw.
"""
