// The fields of Date, Time and Datetime.

export {
  StringEditor as DateEditor,
  StringEditor as DatetimeEditor,
  StringEditor as TimeEditor,
} from "./text_editors";
