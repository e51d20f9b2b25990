"""The GraphQL types of inputs, and how inputs are read: imports `schema.request` and `schema.types`.

Pages: `page_options` and `filter_type` make the types; `query_reader` and `filter_reader` read them.
Writes: `input_table` says what each family of inputs has, `object_inputs` makes the types by it,
`role_commands` and `command_reader` read them to commands. `service_arguments` has the other arguments.
"""
