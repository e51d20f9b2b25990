// The modules of editors, which load when a form needs one of their types.

import { lazyEditors } from "./lazy_editors";

export const simpleEditors = lazyEditors(() => import("./types/simple_editors"));
export const temporalEditors = lazyEditors(() => import("./types/temporal_editors"));
export const fileEditors = lazyEditors(() => import("./types/file_editor"));
