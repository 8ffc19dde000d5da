"""Names that users choose from, for help and completion, which import neither numpy nor the code behind the names.

Tests compare each tuple with the table that holds the objects of these names.
"""

DECISIONS = (
    *("auto", "threshold", "tuned", "scut", "rcut", "pcut", "dscut", "tuned-dscut"),
    *("best-path", "expected-hf", "back-off", "average-confidence"),
)
CALIBRATIONS = ("platt", "isotonic", "softmax")
CRITERIA = ("information-gain", "chi-square", "odds-ratio", "document-frequency")
ENCODERS = ("terms", "static", "sentence")
MEASURES = ("micro-f1", "macro-f1", "hf", "first", "first-hf", "first-mean", "cosine")
SEARCHES = ("coordinates", "halving")
SCORINGS = ("okapi", "printed", "overlap")
IDFS = ("lucene", "robertson")
SPLITS = ("random", "stratified", "ordered")

EMPTY_LABELS = ("unlabelled", "nowhere")
ON_UNKNOWN = ("error", "drop")
REUTERS_SPLITS = ("modapte", "modlewis", "modhayes")
