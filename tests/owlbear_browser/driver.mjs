// Drives Chromium for tests in Python: an object of JSON on each line that comes in, an answer on each that goes out.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const KINDS = { ".html": "text/html", ".js": "text/javascript" };
const EVERY_MS = 15;

const folder = join(import.meta.dirname, "room");
const files = createServer(async (asked, answer) => {
  const [name] = /^[a-z]+\.(html|js)$/.exec(asked.url.split("?")[0].slice(1)) ?? ["index.html"];
  answer.writeHead(200, { "Content-Type": KINDS[name.slice(name.indexOf("."))], "Cache-Control": "no-store" });
  answer.end(await readFile(join(folder, name)));
});
await new Promise((resolve) => files.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${files.address().port}`;
// A profile as people have it, and no private window, in which frames may keep nothing. Each test has an origin of its own.
// As a public site it is asked whether its pages may reach programs on this device; at an address of this machine it is not.
const asPublic = process.argv[3] === "public" ? [`--ip-address-space-overrides=${new URL(origin).host}=public`] : [];
const browser = await chromium.launchPersistentContext("", {
  executablePath: process.argv[2],
  // The last list of features counts: without the first one, frames of another site have a storage, as people have it.
  args: ["--no-sandbox", "--disable-gpu", "--disable-features=HttpsUpgrades,MediaRouter,PaintHolding,OptimizationHints", ...asPublic],
  viewport: { width: 900, height: 700 },
});

const pages = new Map();
let number = 0;

async function frameOf(page, client, kind) {
  if (!client) return page.mainFrame();
  const found = await page.waitForSelector(`iframe[data-client="${client}"][data-kind="${kind}"]`, { state: "attached" });
  return found.contentFrame();
}

const inFrame = (how) => async (told) => {
  const { page } = pages.get(told.page);
  return how(await frameOf(page, told.client, told.kind), told);
};

async function until(told) {
  const end = Date.now() + told.timeout_ms;
  for (;;) {
    // Whoever waits for a page that is being loaded asks again.
    const found = await inFrame((frame) => frame.evaluate(eval(`(${told.source})`), told.arg))(told).catch((error) => {
      if (Date.now() > end) throw error;
      return null;
    });
    if (found) return found;
    if (Date.now() > end) throw new Error(`gave up waiting for ${told.source} of ${JSON.stringify(told.arg ?? null)}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

const doing = {
  async open({ scripts = [] }) {
    const page = await browser.newPage();
    for (const each of scripts) await page.addInitScript(each);
    page.setDefaultTimeout(15_000);
    const said = [];
    page.on("console", (line) => said.push({ type: line.type(), text: line.text(), url: line.location()?.url ?? "" }));
    page.on("pageerror", (error) => said.push({ type: "pageerror", text: String(error), url: "" }));
    await page.goto(`${origin}/index.html`);
    pages.set(++number, { page, said });
    return number;
  },
  /** What somebody has chosen for the room in the settings of the site; it holds as long as the session. */
  async choose({ page, permission, setting }) {
    const session = await browser.newCDPSession(pages.get(page).page);
    await session.send("Browser.setPermission", { permission: { name: permission }, setting, origin });
  },
  async close({ page }) {
    await pages.get(page).page.close();
    pages.delete(page);
  },
  run: inFrame((frame, { source, arg }) => frame.evaluate(eval(`(${source})`), arg)),
  until,
  click: inFrame((frame, { selector }) => frame.click(selector)),
  fill: inFrame((frame, { selector, text }) => frame.fill(selector, text)),
  press: inFrame((frame, { selector, text }) => frame.press(selector, text)),
  text: inFrame((frame, { selector }) => frame.innerText(selector)),
  screenshot: ({ page, path, clip }) => pages.get(page).page.screenshot({ path, clip }).then(() => path),
  said: ({ page }) => pages.get(page).said,
};

const tell = (body) => process.stdout.write(`${JSON.stringify(body)}\n`);
tell({ origin });
const lines = createInterface({ input: process.stdin });
lines.on("line", async (line) => {
  const told = JSON.parse(line);
  try {
    tell({ id: told.id, ok: (await doing[told.do](told)) ?? null });
  } catch (error) {
    tell({ id: told.id, error: String(error?.message ?? error) });
  }
});
lines.on("close", async () => {
  await browser.close();
  process.exit(0);
});
