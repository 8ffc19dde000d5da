"""The best model for some documents, found within a budget: methods, ways of reading text, settings and decisions.

`look` says what the documents are, `candidates` what is sensible for them, `workshop` tries a candidate on documents
held out, `judging` finds the best decision for what it says of them, `search` goes from cheap to dear, puts the best
together and keeps to the `budget`, `expecting` says what to expect of new documents, and `record` keeps every trial, so
that a search that was killed is taken up again. `chosen` learns what was found.
"""
