"""How the pages of this site are made: blocks that run, and pages made from the code."""
