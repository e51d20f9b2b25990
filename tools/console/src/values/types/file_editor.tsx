// The field of a file: choose or drop one, see how its upload goes, replace it, remove it.

import "../files/files.css";
import { CircleAlert, RotateCw, Trash2, Upload } from "lucide-react";
import { type ReactNode, useContext, useId } from "react";
import { FileTrigger, Group } from "react-aria-components";
import { Button, IconButton } from "../../components/button";
import { t } from "../../messages/messages";
import { EditingContext } from "../editing_context";
import type { FileAttribute } from "../files/addresses";
import { FileFrame } from "../files/file_frame";
import { limitsOf, limitsText } from "../files/file_limits";
import { FileRow } from "../files/file_row";
import { type FileValue, isPending } from "../files/file_value";
import { UploadRow } from "../files/upload_row";
import { useFileField } from "../files/use_file_field";
import type { EditorProps } from "../value_type";
import { editorTexts } from "./editor_texts";

export function FileEditor(props: EditorProps) {
  const { attribute, isRequired = false, isReadOnly = false } = props;
  const editing = useContext(EditingContext);
  const id = useId();
  const holder = { className: editing?.className ?? "", attribute: attribute.name };
  const { file, uploads, refusal, take, remove } = useFileField(props, holder);
  const { uploading, failed } = uploads;
  const isEditable = !isReadOnly && editing !== null;
  const texts = editorTexts(props);
  const error = refusal || failed?.message || (uploading ? undefined : texts.error);
  const description = texts.description ?? (isEditable ? limitsText(attribute) : "");

  const trigger = (button: ReactNode) => (
    <FileTrigger
      acceptedFileTypes={limitsOf(attribute).extensions.map((extension) => `.${extension}`)}
      onSelect={(files) => void take(files?.[0])}
    >
      {button}
    </FileTrigger>
  );
  const buttons = file && isEditable && (
    <>
      {trigger(<IconButton icon={Upload} label={t("Replace {name}", { name: file.name })} />)}
      <IconButton icon={Trash2} label={t("Remove {name}", { name: file.name })} onPress={remove} />
    </>
  );
  const choose = trigger(
    <Button icon={Upload} isSmall>
      {t("Choose a file")}
    </Button>,
  );
  return (
    <Group className="field" aria-labelledby={`${id}-label`} aria-describedby={`${id}-notes`}>
      <span id={`${id}-label`} className={isRequired ? "field-label field-required" : "field-label"}>
        {texts.label}
      </span>
      <FileFrame
        isEmpty={!file && !uploading}
        isInvalid={Boolean(error)}
        onTake={isEditable && !uploading ? (chosen) => void take(chosen) : null}
      >
        {uploading && <UploadRow uploading={uploading} onCancel={uploads.cancel} />}
        {!uploading && <Held file={file} holder={holder} actions={buttons} choose={isEditable && choose} />}
      </FileFrame>
      <div id={`${id}-notes`}>
        <Notes description={description} error={error} warning={texts.warning} />
      </div>
      {failed && <UploadAgain name={failed.file.name} onPress={() => void take(failed.file)} />}
      <span className="visually-hidden" role="status">
        {statusOf(file, uploading?.file.name)}
      </span>
    </Group>
  );
}

function UploadAgain({ name, onPress }: { readonly name: string; readonly onPress: () => void }) {
  return (
    <div>
      <Button icon={RotateCw} isSmall onPress={onPress}>
        {t("Upload {name} again", { name })}
      </Button>
    </div>
  );
}

/** Returns what screen readers say when an upload begins or ends. */
function statusOf(file: FileValue | null, uploading: string | undefined): string {
  if (uploading !== undefined) return t("Uploading {name}", { name: uploading });
  return file && isPending(file) ? t("{name} is uploaded", { name: file.name }) : "";
}

interface HeldProps {
  readonly file: FileValue | null;
  readonly holder: FileAttribute;
  readonly actions: ReactNode;
  /** The button to choose a file, if the member may. */
  readonly choose: ReactNode;
}

function Held({ file, holder, actions, choose }: HeldProps) {
  if (file) return <FileRow file={file} holder={holder} actions={actions} />;
  if (!choose) return <div className="file-empty">{t("No file")}</div>;
  return (
    <div className="file-empty">
      {choose}
      <span>{t("or drop it here")}</span>
    </div>
  );
}

interface NotesProps {
  readonly description: string;
  readonly error: string | undefined;
  readonly warning: string | undefined;
}

function Notes({ description, error, warning }: NotesProps) {
  if (error) {
    return (
      <p className="field-error" role="alert">
        <CircleAlert size={14} aria-hidden />
        <span className="user-text">{error}</span>
      </p>
    );
  }
  return (
    <>
      {description && <span className="field-description">{description}</span>}
      {warning && <p className="field-warning user-text">{warning}</p>}
    </>
  );
}
