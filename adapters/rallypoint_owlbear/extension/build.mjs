// Builds the pages of public/ with what they load from src/ into the folder that the program serves: ../link/bundle.
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const out = resolve(here, "../link/bundle");
const LOADED = /(src|href)="(\/src\/[^"]+)"/g;

const posix = (path) => relative(here, path).split(sep).join("/");

async function filesOf(folder) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

/** A number for all sources; the build hook of the Python package works out the same, and builds only what is not up to date. */
async function fingerprint() {
  const single = ["build.mjs", "package.json", "package-lock.json", "tsconfig.json"].map((name) => join(here, name));
  const all = [...(await filesOf(join(here, "public"))), ...(await filesOf(join(here, "src"))), ...single];
  const lines = await Promise.all(
    all.map(async (file) => `${posix(file)} ${createHash("sha256").update(await readFile(file)).digest("hex")}\n`),
  );
  return createHash("sha256").update(lines.sort().join("")).digest("hex");
}

const pages = (await filesOf(join(here, "public"))).filter((file) => file.endsWith(".html"));
const texts = new Map(await Promise.all(pages.map(async (file) => [file, await readFile(file, "utf8")])));
const entries = new Set([...texts.values()].flatMap((text) => [...text.matchAll(LOADED)].map(([, , path]) => join(here, path))));
for (const worker of (await filesOf(join(here, "src"))).filter((file) => file.endsWith(".worker.ts"))) entries.add(worker);

const fresh = `${out}.new`;
await rm(fresh, { recursive: true, force: true });
await mkdir(fresh, { recursive: true });
await cp(join(here, "public"), fresh, { recursive: true });

// A script has another name after each change: no page that a browser has kept asks for one that is gone.
const { metafile } = await build({
  entryPoints: [...entries],
  bundle: true,
  format: "esm",
  target: ["chrome110", "firefox110", "safari16"],
  minify: true,
  legalComments: "none", // the licences stand in a file of their own
  outdir: join(fresh, "assets"),
  outbase: join(here, "src"),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  metafile: true,
  absWorkingDir: here,
  logLevel: "warning",
});
const named = new Map(
  Object.entries(metafile.outputs).flatMap(([path, made]) => (made.entryPoint ? [[`/${made.entryPoint}`, `/assets/${basename(path)}`]] : [])),
);
for (const [page, text] of texts) {
  const rewritten = text.replace(LOADED, (whole, attribute, path) => {
    if (!named.has(path)) throw new Error(`${posix(page)}: there is no ${path}`);
    return `${attribute}="${named.get(path)}"`;
  });
  await writeFile(join(fresh, relative(join(here, "public"), page)), rewritten);
}
/** The licences of what was bundled. */
async function licences() {
  const packages = new Set(
    Object.keys(metafile.inputs).flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  const texts = [...packages].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(here, folder, "package.json"), "utf8"));
    const file = (await readdir(join(here, folder))).find((each) => /^(licen[cs]e|copying)/i.test(each));
    return `${name} ${version}, ${license}\n\n${file ? await readFile(join(here, folder, file), "utf8") : ""}\n`;
  });
  return (await Promise.all(texts)).join("\n");
}

await writeFile(join(fresh, "licences.txt"), await licences());
await writeFile(join(fresh, ".sources"), `${await fingerprint()}\n`);
await rm(out, { recursive: true, force: true });
await rename(fresh, out);
console.log(`built ${dirname(posix(join(out, "x")))}: ${[...named.values()].map((each) => basename(each)).join(", ")}`);
