// Where a point of the map snaps to. A pointy-top hex is `dpi` wide; the origin lies half a radius below a centre.
const ROOT = Math.sqrt(3);

/** The centre of a hex of axial coordinates. */
export function centre(dpi, q, r) {
  const radius = dpi / ROOT;
  return { x: dpi * (q + r / 2), y: 1.5 * radius * r - radius / 2 };
}

/** The nearest centre of a cell of the grid. */
export function nearest(grid, point) {
  if (grid.type !== "HEX_VERTICAL") {
    const middle = (n) => Math.floor(n / grid.dpi) * grid.dpi + grid.dpi / 2;
    return { x: middle(point.x), y: middle(point.y) };
  }
  const radius = grid.dpi / ROOT;
  const r = Math.round((point.y + radius / 2) / (1.5 * radius));
  const around = [-1, 0, 1].flatMap((row) => {
    const q = Math.round(point.x / grid.dpi - (r + row) / 2);
    return [centre(grid.dpi, q, r + row)];
  });
  const far = (each) => Math.hypot(each.x - point.x, each.y - point.y);
  return around.reduce((best, each) => (far(each) < far(best) ? each : best));
}
