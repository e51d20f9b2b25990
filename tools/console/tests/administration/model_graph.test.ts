import { expect, test } from "vitest";
import { boxOf, layoutOf } from "../../src/administration/diagram/layout";
import { cardinality, modelGraph, neighborhood, partOf } from "../../src/administration/diagram/model_graph";
import { attribute, class_, modelOf, role } from "../models";

const COMPANY = modelOf(
  class_("Employee", [
    role("team", "Team", { opposite: "members", max: 1 }),
    role("manager", "Employee", { opposite: "reports", max: 1 }),
    role("reports", "Employee", { opposite: "manager" }),
    role("addresses", "Address", { kind: "COMPOSITION", opposite: "employee" }),
    role("_createdby_user", "_User", { max: 1 }),
  ]),
  class_("Team", [role("members", "Employee", { opposite: "team", min: 1 })]),
  class_("Address", [role("employee", "Employee", { kind: "WHOLE", opposite: "addresses", max: 1 })]),
  class_("Room", [role("hidden", "Secret", { max: 1 })]),
  class_("_User", [], { kind: "USERS" }),
);

test("an association is one line, whichever of its roles comes first", () => {
  const { edges } = modelGraph(COMPANY);
  expect(edges.map(({ from, role: each, to, back }) => `${from}.${each.name} ${to}.${back?.name}`)).toEqual([
    "Employee.team Team.members",
    "Employee.manager Employee.reports",
    "Employee.addresses Address.employee",
  ]);
  expect(edges.map(({ isComposition }) => isComposition)).toEqual([false, false, true]);
});

test("what the service adds, and classes that the member may not use, are left out", () => {
  expect(modelGraph(COMPANY).classes.map(({ name }) => name)).toEqual([
    "Employee",
    "Team",
    "Address",
    "Room",
  ]);
});

test("a role from a part to a whole is a line if it is all that the member may follow", () => {
  const { edges } = modelGraph(
    modelOf(class_("Line", [role("order", "Order", { kind: "WHOLE", max: 1 })]), class_("Order", [])),
  );
  expect(edges.map(({ from, to }) => [from, to])).toEqual([["Line", "Order"]]);
});

test("cardinalities are those of diagrams", () => {
  const found = [{}, { min: 1 }, { max: 1 }, { max: 1, min: 1 }].map((each) =>
    cardinality(role("r", "T", each)),
  );
  expect(found).toEqual(["*", "1..*", "0..1", "1"]);
});

test("the neighborhood of a class grows with the distance", () => {
  const graph = modelGraph(COMPANY);
  expect([...neighborhood(graph, "Team")].sort()).toEqual(["Employee", "Team"]);
  expect([...neighborhood(graph, "Team", 2)].sort()).toEqual(["Address", "Employee", "Team"]);
  expect(partOf(graph, ({ name }) => neighborhood(graph, "Room").has(name))).toEqual({
    classes: [{ ...COMPANY.of("Room"), group: "" }],
    edges: [],
  });
});

test("boxes don't overlap, and lines end at them", () => {
  const diagram = layoutOf(modelGraph(COMPANY), () => true);
  for (const box of diagram.boxes) {
    for (const other of diagram.boxes) {
      const isApart =
        box.x + box.width <= other.x ||
        other.x + other.width <= box.x ||
        box.y + box.height <= other.y ||
        other.y + other.height <= box.y;
      expect(box === other || isApart).toBe(true);
    }
  }
  for (const { edge, points } of diagram.lines) {
    const box = diagram.boxes.find((each) => each.class_.name === edge.from);
    const [start] = points;
    expect([box?.x, (box?.x ?? 0) + (box?.width ?? 0) - 28, (box?.x ?? 0) + (box?.width ?? 0)]).toContain(
      start?.x,
    );
  }
});

test("groups of many classes have frames of their own, which hold their classes", () => {
  const many = [...Array(20).keys()].map((number) => class_(`Invoice${number}`, [], { group: "Money" }));
  const grouped = modelOf(
    class_("Employee", [role("team", "Team", { max: 1 })], { group: "People" }),
    class_("Team", [], { group: "People" }),
    class_("Address", [], { partOf: ["Employee"] }),
    class_("Loop", [], { partOf: ["Loop"] }),
    ...many,
  );
  const { frames, boxes, lines } = layoutOf(modelGraph(grouped), () => false);
  expect(frames.map(({ name }) => name)).toEqual(["People", "", "Money"]);
  expect(lines).toHaveLength(1);
  expect(boxes).toHaveLength(24);
  for (const { class_: each, x, y, width, height } of boxes) {
    const frame = frames.find(({ name }) => name === each.group);
    expect(frame && x > frame.x && y > frame.y).toBe(true);
    expect(frame && x + width < frame.x + frame.width && y + height < frame.y + frame.height).toBe(true);
  }
});

test("a class of 60 attributes shows some of them, and says how many it hides", () => {
  const names = [...Array(60).keys()].map((number) => attribute(`question_${number}`));
  const survey = class_("Survey", [], { attributes: [...names, attribute("_createdon")] });
  const box = boxOf(survey, true);
  expect(box.rows.length + box.hidden).toBe(60);
  expect(box.rows.length).toBeLessThan(15);
  expect(boxOf(survey, false)).toMatchObject({ rows: [], hidden: 0 });
});

test("a model of many classes is laid out", () => {
  const areas = [...Array(26).keys()].flatMap((area) => [
    class_(`Person${area}`, [
      role("team", `Team${area}`, { max: 1 }),
      role("next", `Person${(area + 1) % 26}`),
    ]),
    class_(`Team${area}`, [role("lead", `Person${area}`, { max: 1 })]),
    class_(`Desk${area}`, [role("owner", `Person${area}`, { max: 1 })]),
    class_(`Self${area}`, [role("again", `Self${area}`)]),
  ]);
  const diagram = layoutOf(modelGraph(modelOf(...areas)), () => false);
  expect(diagram.boxes).toHaveLength(104);
  expect(diagram.lines).toHaveLength(26 * 5);
});
