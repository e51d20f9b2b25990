"""The GraphQL types of inputs, and their readers: imports `schema.request` and `schema.types`.

- Pages: `page_options` and `filter_type` make the types; `query_reader` and `filter_reader` read them to
  queries, with `day_operands` for dates, and within the limits of `filter_size`.
- Writes: `input_table` defines the families of inputs and how roles are read, and `object_inputs` makes their
  types. `service_arguments` reads them to commands, and has all other arguments.
"""
