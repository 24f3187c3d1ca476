"""Draws series with matplotlib, which is imported when something is drawn and not before."""
