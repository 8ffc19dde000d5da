"""Automatic selection of methods, text settings, parameters and decisions within a budget.

`candidates` profiles the documents and lists what suits them, `workshop` evaluates a candidate on held-out
documents under its best decision, `search` goes from fast to expensive `trials`, combines the best and keeps to the
budget in `settings`, `expecting` estimates the metric on new documents, and `record` stores every trial, so that an
interrupted search resumes. `chosen` fits the result.
"""
