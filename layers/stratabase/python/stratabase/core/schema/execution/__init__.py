"""Execute a document: parse it, limit it, plan what to fetch, and shape the answer.

Read the files in this order:

- `documents`, `literals`, `validator`: parse, validate and cache documents
- `limits`, `repetition`: limit the size and the shape of documents
- `cost`, `cost_estimate`, `derived_reads`: limit what an operation may read and write
- `selections`: collects the fields of a selection
- `fetch_plan`, `views`: say what the fields need of objects, and fetch it
- `totals_plan`: the same for the fields of a page that show totals
- `compiled_operation`: executes an operation without graphql-core's executor
- `variables`, `arguments`: coerce the variables and the arguments of a compiled operation
- `responses`, `errors`, `document_hints`: render the response, its `errors` and `extensions`
- `current_objects`: shows the object of a refused write as it is now
- `keyed_mutation`: commits a mutation with an `Idempotency-Key`, and keeps its answer
- `cache`: a cache of bounded weight

Compiled operations report no errors. Whatever is not plainly correct is left to graphql-core, which executes
the operation over the results that exist already. So graphql-core alone decides about errors and nulls.

The package imports `request`, `types` and `inputs` of `schema`.
"""
