"""Objects of one class as rows of a CSV file: import and export.

Read the files in this order:

- `csv_file`: a CSV file that is read: its encoding, its delimiter, its header and its rows
- `cells`: the text of a cell for a value, and the value of a text
- `columns`: which column is which attribute, or finds the object of which role
- `null_texts`: texts of other programs that mean no value
- `row_order`: which rows wait until others are written
- `row_reader`: the command that creates or updates the object of a row; the objects of the file, to which
  roles of other rows lead
- `issues`: what is wrong with rows: line, column and reason; the file of the rows that an import leaves out
- `import_record`: how far an import is, and the ids of the objects that it creates
- `row_check`: what is wrong with a row, by a dry run
- `csv_import`: checks all rows, and then writes them by the write pipeline
- `csv_export`: writes the objects of a class to a file

The package imports `operations` and `store`. Only `cli` imports it.
"""
