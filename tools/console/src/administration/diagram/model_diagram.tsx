// The model as a diagram that can be searched, moved and zoomed.

import "./diagram.css";
import { Maximize, Minus, Plus } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { paths } from "../../app/routes";
import { IconButton } from "../../components/button";
import { EmptyState } from "../../components/feedback";
import { Checkbox, SearchField, SelectField } from "../../components/field";
import type { Model, ModelClass } from "../../description/model";
import { isListed } from "../../description/sidebar";
import { plural, t } from "../../messages/messages";
import { type BoxAction, ClassShape } from "./class_shape";
import { EdgeShape } from "./edge_shape";
import { type Box, type Diagram, layoutOf } from "./layout";
import { modelGraph, neighborhood, partOf } from "./model_graph";
import { useViewport } from "./viewport";

/** Models with more classes begin without attributes, so that the names can be read. */
const MOST_OPEN = 20;
const EVERYTHING = "";
/** Below this scale, the diagram is an overview: only names can be read. */
const SMALL = 0.5;

export default function ModelDiagram({ model }: { readonly model: Model }) {
  const graph = useMemo(() => modelGraph(model), [model]);
  const [search, setSearch] = useState("");
  const [group, setGroup] = useState(EVERYTHING);
  const [around, setAround] = useState(EVERYTHING);
  const [hasAttributes, setAttributes] = useState(graph.classes.length <= MOST_OPEN);
  const shown = useMemo(() => {
    const near = around === EVERYTHING ? null : neighborhood(graph, around);
    const isWanted = (class_: ModelClass) =>
      (near?.has(class_.name) ?? true) && (group === EVERYTHING || class_.group === group);
    return partOf(graph, isWanted);
  }, [graph, around, group]);
  const diagram = useMemo(() => layoutOf(shown, () => hasAttributes), [shown, hasAttributes]);
  const groups = [...new Set(graph.classes.flatMap((each) => each.group || []))];
  return (
    <div className="diagram-page">
      <div className="toolbar diagram-toolbar">
        <SearchField label={t("Search classes")} value={search} onChange={setSearch} />
        {groups.length > 1 && (
          <Choice
            label={t("Group")}
            value={group}
            onChange={setGroup}
            all={t("All groups")}
            values={groups}
          />
        )}
        <Choice
          label={t("Neighborhood of")}
          value={around}
          onChange={(name) => {
            setAround(name);
            setGroup(EVERYTHING);
          }}
          all={t("All classes")}
          values={graph.classes.map(({ name }) => name).sort()}
        />
        <Checkbox isSelected={hasAttributes} onChange={setAttributes}>
          {t("Attributes")}
        </Checkbox>
      </div>
      {shown.classes.length === 0 ? (
        <EmptyState title={t("The model has no class that you may use")} />
      ) : (
        <Canvas diagram={diagram} model={model} search={search} onFocus={setAround} />
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly all: string;
  readonly values: readonly string[];
}

function Choice({ label, value, onChange, all, values }: ChoiceProps) {
  const choices = [
    { value: EVERYTHING, label: all },
    ...values.map((each) => ({ value: each, label: each })),
  ];
  return (
    <div className="diagram-choice">
      <SelectField label={label} value={value} onChange={onChange} choices={choices} />
    </div>
  );
}

interface CanvasProps {
  readonly diagram: Diagram;
  readonly model: Model;
  readonly search: string;
  readonly onFocus: (name: string) => void;
}

function Canvas({ diagram, model, search, onFocus }: CanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState("");
  const [, navigate] = useLocation();
  const whole = { x: 0, y: 0, width: diagram.width, height: diagram.height };
  const matches = useMemo(() => matching(diagram, search), [diagram, search]);

  function press(target: Element) {
    const group = target.closest<SVGGElement>("[data-group]")?.dataset["group"];
    const framed = diagram.frames.find((each) => each.name === group);
    if (framed) show(framed);
    const name = target.closest<SVGGElement>("[data-class]")?.dataset["class"];
    const action = target.closest<SVGElement>("[data-action]")?.dataset["action"] as BoxAction | undefined;
    const class_ = name && model.find(name);
    if (!class_) return;
    if (action === "focus") onFocus(class_.name);
    else if (isListed(class_)) {
      navigate(paths.class(class_));
    }
  }

  const { viewport, show, zoom, handlers } = useViewport(frame, whole, press);

  useEffect(() => {
    const found = boxAround(diagram, matches);
    if (found) show(found);
  }, [diagram, matches, show]);

  return (
    <div className="diagram-frame">
      <section
        ref={frame}
        className="diagram-canvas"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys move the diagram, as in any scrolled region.
        tabIndex={0}
        aria-label={t(
          "Diagram of the model. The arrow keys move it, plus and minus zoom, and 0 shows all of it.",
        )}
        onPointerOver={(event) =>
          setActive((event.target as Element).closest<SVGGElement>("[data-class]")?.dataset["class"] ?? "")
        }
        {...handlers}
      >
        <svg aria-hidden="true" focusable="false">
          <g
            transform={`translate(${viewport.x} ${viewport.y}) scale(${viewport.scale})`}
            className={viewport.scale < SMALL ? "is-small" : ""}
          >
            {diagram.frames.map(({ name, x, y, width, height }) => (
              <g key={name} transform={`translate(${x} ${y})`} className="group-frame" data-group={name}>
                <rect width={width} height={height} rx={12} />
                <text x={4} y={-8} fontSize={headingSize(viewport.scale)}>
                  {name || t("Other classes")}
                </text>
              </g>
            ))}
            {diagram.lines.map((line) => {
              const { from, to, id } = line.edge;
              const isActive = active !== "" && (from === active || to === active);
              const isFaded = Boolean(matches) && !(matches?.has(from) || matches?.has(to));
              return <EdgeShape key={id} line={line} isActive={isActive} isFaded={isFaded && !isActive} />;
            })}
            {diagram.boxes.map((box) => (
              <ClassShape
                key={box.class_.name}
                box={box}
                isFaded={Boolean(matches) && !matches?.has(box.class_.name)}
              />
            ))}
          </g>
        </svg>
      </section>
      <div className="diagram-zoom">
        <IconButton icon={Plus} label={t("Zoom in")} onPress={() => zoom(1)} />
        <IconButton icon={Minus} label={t("Zoom out")} onPress={() => zoom(-1)} />
        <IconButton icon={Maximize} label={t("Show all")} onPress={() => show(whole)} />
      </div>
      <p className="visually-hidden" role="status">
        {matches && plural(matches.size, "{count} class found", "{count} classes found")}
      </p>
    </div>
  );
}

/** Returns the size of the headings of groups, which can be read in small diagrams too. */
function headingSize(scale: number): number {
  return Math.min(48, Math.max(14, 13 / scale));
}

/** Returns the names of the classes that match a search, or null if nothing is searched. */
function matching(diagram: Diagram, search: string): ReadonlySet<string> | null {
  const wanted = search.trim().toLocaleLowerCase();
  if (!wanted) return null;
  const names = diagram.boxes.map(({ class_ }) => class_.name);
  return new Set(names.filter((name) => name.toLocaleLowerCase().includes(wanted)));
}

/** Returns the box around the classes with some names, or around all; null if there are none. */
function boxAround(diagram: Diagram, names: ReadonlySet<string> | null): Box | null {
  if (!names) return { x: 0, y: 0, width: diagram.width, height: diagram.height };
  const boxes = diagram.boxes.filter(({ class_ }) => names.has(class_.name));
  if (boxes.length === 0) return null;
  const left = Math.min(...boxes.map(({ x }) => x));
  const top = Math.min(...boxes.map(({ y }) => y));
  return {
    x: left,
    y: top,
    width: Math.max(...boxes.map(({ x, width }) => x + width)) - left,
    height: Math.max(...boxes.map(({ y, height }) => y + height)) - top,
  };
}
