"""What classmark does, on plain data: shared by the command line and the server.

A function takes paths, simple values and small dataclasses of them, such as a `Recipe`, and returns a frozen dataclass,
or yields several; `results.plain` converts any of them to JSON. Everything that a command does is one call here, so a
new command is its file in `cli/commands` and its function in a module of this package.

`corpora` finds and reads documents, `checking` says what is wrong with them, `training` and `tuning` make models out of
`recipes`, `estimating` says what that takes, `answering` and `predictions` use them, `judging`, `comparing`, `diffing`,
`explaining` and `reporting` evaluate them, `describing`, `listing` and `datasets` list what there is, `converting`,
`indexing` and `storing` write other things than models.
"""
