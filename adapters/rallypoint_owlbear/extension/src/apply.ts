/** What a change does to an item. It sets what differs and nothing else, so that a change that is none costs no call. */

import { MOST_TRACKERS, TRACKERS_KEY, UNIT_KEY, type ItemChange, type Json, type TrackerChange } from "./wire";

/** What of an item is changed here. */
export interface Changeable {
  metadata: Json;
  position: { x: number; y: number };
}

export function apply(item: Changeable, change: ItemChange): void {
  for (const each of change.trackers ?? []) setTracker(item.metadata, each);
  if (change.record) setRecord(item.metadata, change.record);
  if (change.position) set(item as unknown as Json, "position", { x: change.position.x, y: change.position.y });
}

function setTracker(metadata: Json, change: TrackerChange): void {
  const { new: made, ...keys } = change;
  const entries = metadata[TRACKERS_KEY];
  if (entries !== undefined && !Array.isArray(entries)) return; // not the array that Owl Trackers keeps: not ours to mend
  const known: unknown = entries?.find((each: unknown) => isObject(each) && each["id"] === change.id);
  if (isObject(known)) setAll(known, keys);
  else if (made && entries === undefined) metadata[TRACKERS_KEY] = [{ ...made, ...keys }];
  else if (made && entries && entries.length < MOST_TRACKERS) entries.push({ ...made, ...keys });
}

function setRecord(metadata: Json, change: Json): void {
  const { units, bands, ...keys } = change;
  if (!isObject(metadata[UNIT_KEY])) metadata[UNIT_KEY] = {};
  const record = metadata[UNIT_KEY] as Json;
  setAll(record, keys);
  if (Array.isArray(units) && Array.isArray(record["units"])) {
    for (const unit of record["units"]) {
      const wanted: unknown = units.find((each: unknown) => isObject(each) && isObject(unit) && each["uid"] === unit["uid"]);
      if (isObject(unit) && isObject(wanted)) setAll(unit, wanted);
    }
  }
  if (isObject(bands)) {
    if (!isObject(record["bands"])) record["bands"] = {};
    setAll(record["bands"] as Json, bands);
  }
}

function setAll(target: Json, keys: Json): void {
  for (const [key, value] of Object.entries(keys)) set(target, key, value);
}

function set(target: Json, key: string, value: unknown): void {
  if (!isSame(target[key], value)) target[key] = value;
}

export function isObject(found: unknown): found is Json {
  return typeof found === "object" && found !== null && !Array.isArray(found);
}

/** Whether two values of JSON are the same, whatever the order of their keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, place) => isSame(each, b[place]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isSame(a[key], b[key]));
}
