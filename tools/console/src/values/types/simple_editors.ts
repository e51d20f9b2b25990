// The editors that every form needs, in one chunk.

export { BooleanEditor, EnumEditor } from "./choice_editors";
export { IntEditor, RealEditor, YearEditor } from "./number_editors";
export { ReadOnlyEditor, StringEditor, TextEditor } from "./text_editors";
