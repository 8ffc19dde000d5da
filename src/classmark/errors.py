"""Exception class of errors in the input of a user."""


class InputError(ValueError):
    """Error in what a user passed: a parameter, a file, a document, or a request.

    The message is written for the user, so the server sends it to the client with a 4xx status, the command line
    prints it without a traceback, and a search over methods records it as the reason that a method cannot be fitted.
    Any other `ValueError` is a programming error.

    Examples
    --------
    >>> from classmark import TextClassifier
    >>> try:
    ...     TextClassifier("linear-svm", settings={"C": 0}).fit(["owl"], ["bird"])
    ... except ValueError as error:
    ...     print(type(error).__name__, error)
    InputError method 'linear-svm', setting C=0: must be a number > 0
    """
