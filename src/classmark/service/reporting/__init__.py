"""What a report says: `make_report` on fitted models and corpora, `report` on files.

`making` puts together what the others give: `looking` lets a model answer and keeps what is asked of its scores;
`destinations`, `curves`, `learning` and `errors` say how good the answers are and where they go
wrong; `data`, `doubts` and `words` look at the documents and their words; `naming` and `summary`
put it into words. `writing` reads files and has the page written.
"""

from classmark.service.reporting.making import make_report
from classmark.service.reporting.writing import Reported, report

__all__ = ["Reported", "make_report", "report"]
