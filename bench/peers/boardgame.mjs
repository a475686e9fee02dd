// Prints how many moves a second the local client of boardgame.io makes, the best of seven rounds.
import { createRequire } from "node:module";

const { Client } = createRequire(import.meta.url)("boardgame.io/client");
const game = {
  setup: () => ({ wounds: Array(60).fill(0) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { wound: ({ G, random }, unit) => { G.wounds[unit] = (G.wounds[unit] + random.Die(100)) % 3; } },
};
const number = 2000;
let fastest = Infinity;
for (let round = 0; round < 7; round++) {
  const client = Client({ game, numPlayers: 2, debug: false });
  client.start();
  const start = process.cpuUsage();
  for (let move = 0; move < number; move++) client.moves.wound(move % 60);
  const spent = process.cpuUsage(start);
  fastest = Math.min(fastest, (spent.user + spent.system) / number);
}
console.log(1e6 / fastest);
