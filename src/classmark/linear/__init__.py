"""Linear models that know the hierarchy.

`hiercost` weighs a document against a category by how far away it belongs.
"""

from classmark.linear.hiercost import HierCost

__all__ = ["HierCost"]
