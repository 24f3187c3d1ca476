"""Draws series as SVG, for files and for the page; PDF and PNG are made of it."""
