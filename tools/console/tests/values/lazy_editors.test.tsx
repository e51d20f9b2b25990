import { cleanup, render, screen } from "@testing-library/react";
import { Suspense } from "react";
import { afterEach, expect, test, vi } from "vitest";
import type { Attribute } from "../../src/description/model";
import { lazyEditors } from "../../src/values/lazy_editors";
import type { EditorProps } from "../../src/values/value_type";

afterEach(cleanup);

const NAME: Attribute = {
  name: "name",
  type: "String",
  required: true,
  derived: false,
  unique: false,
  readable: "always",
  creatable: "always",
  editable: "always",
};
const PROPS: EditorProps = { attribute: NAME, label: "Name", value: "Ada", onChange: () => undefined };

function NameEditor({ value }: EditorProps) {
  return <p>{String(value)}</p>;
}

function show(Editor: React.ComponentType<EditorProps>) {
  render(
    <Suspense fallback={<p>Empty</p>}>
      <Editor {...PROPS} />
    </Suspense>,
  );
}

test("an editor that is loaded is shown at once", async () => {
  const { Editor, load } = lazyEditors(async () => ({ NameEditor }))("NameEditor");
  await load();
  show(Editor);
  expect(screen.queryByText("Empty")).toBeNull();
  expect(screen.getByText("Ada")).toBeTruthy();
});

test("an editor that is not loaded is loaded when it is shown", async () => {
  const { Editor } = lazyEditors(async () => ({ NameEditor }))("NameEditor");
  show(Editor);
  expect(screen.getByText("Empty")).toBeTruthy();
  expect(await screen.findByText("Ada")).toBeTruthy();
});

test("a module that could not be loaded is tried again", async () => {
  const load = vi.fn().mockRejectedValueOnce(new Error("offline")).mockResolvedValue({ NameEditor });
  const editor = lazyEditors<{ NameEditor: typeof NameEditor }>(load)("NameEditor");
  await expect(editor.load()).rejects.toThrow("offline");
  await editor.load();
  expect(load).toHaveBeenCalledTimes(2);
  show(editor.Editor);
  expect(screen.getByText("Ada")).toBeTruthy();
});
