"use strict";
const byId = (id) => document.getElementById(id);
const account = byId("account").textContent;
const chart = byId("chart");
const LEFT = 110, HEIGHT = 440, BINS = 40, SPAN_S = 600;
let WIDTH = 0, BEGUN = 0;  // BEGUN: the share of the latest bin that has passed

const left = (at) => LEFT + (at + 1 - BEGUN) * WIDTH / BINS;
const wide = (at) => Math.max(0, Math.min(WIDTH / BINS, LEFT + WIDTH - left(at)));

function put(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  chart.append(made);
}

function row(top, height, name, unit, low, high) {
  put("text", {x: 0, y: top + 14, class: "name"}, name);
  put("text", {x: 0, y: top + 32}, unit);
  put("line", {x1: LEFT, x2: LEFT + WIDTH, y1: top + height, y2: top + height, class: "axis"});
  if (high === undefined) return () => top;
  put("text", {x: LEFT - 6, y: top + 8, class: "end"}, high);
  put("text", {x: LEFT - 6, y: top + height, class: "end"}, low);
  return (value) => top + height * (1 - Math.min(1, Math.max(0, (value - low) / (high - low))));
}

const CLASS = {"off pose": "off", "not worn": "unworn"};

function bars(values, top, height, name, unit, high, kind) {
  const y = row(top, height, name, unit, 0, high);
  values.forEach((value, at) => {
    if (value) put("rect", {x: left(at) + 1, width: Math.max(0, wide(at) - 2),
      y: y(value), height: top + height - y(value), class: kind});
  });
}

function draw(recent, marks, now) {
  chart.replaceChildren();
  chart.setAttribute("viewBox", `0 0 ${chart.clientWidth} ${HEIGHT}`);
  WIDTH = chart.clientWidth - LEFT - 4;
  BEGUN = now / 15000 % 1;
  row(0, 34, "State", "each 15 s");
  recent.states.forEach((state, at) => {
    if (state) put("rect", {x: left(at), width: wide(at) + 0.5, y: 0, height: 34,
      class: CLASS[state] || state});
  });
  bars(recent.noise, 58, 48, "Noise", "s in 15 s", 15, "noisy");
  const blinks = row(128, 100, "Blinks", "per min", 0, 60);
  for (const minute of recent.minutes) {
    if (minute.rate_per_min === null || minute.ago_s > SPAN_S) continue;
    const x = LEFT + WIDTH * (1 - Math.max(0, minute.ago_s) / SPAN_S);
    if (minute.low !== null) put("line", {x1: x, x2: x, y1: blinks(minute.low), y2: blinks(minute.high), class: "range"});
    put("circle", {cx: x, cy: blinks(minute.rate_per_min), r: 4.5, class: minute.exposure_min < 0.5 ? "thin" : "usable"});
  }
  const tilt = row(252, 76, "Head tilt", "fore-aft, deg", -40, 40);
  let line = "";
  recent.tilt.forEach((value, at) => {
    const start = at === 0 || recent.tilt[at - 1] === null;
    if (value !== null) line += `${start ? "M" : "L"}${left(at) + wide(at) / 2} ${tilt(value)}`;
  });
  put("path", {d: line, class: "tilt"});
  bars(recent.steps_by, 352, 54, "Steps", "in 15 s", 40, "walking");
  put("text", {x: LEFT, y: 428}, "10 min ago");
  put("text", {x: LEFT + WIDTH, y: 428, class: "end"}, "now");
  marks.forEach((mark, at) => {
    const ago = (now - Date.parse(mark.at)) / 1000;
    if (ago > SPAN_S || ago < 0) return;
    const x = LEFT + WIDTH * (1 - ago / SPAN_S);
    put("line", {x1: x, x2: x, y1: 0, y2: 406, class: "mark"});
    put("text", {x: x + 3, y: 52}, at + 1);
  });
}

function duration(seconds) {
  return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
}

function show(news) {
  byId("status").textContent = news.age_s === null ? "waiting for data"
    : news.age_s < 5 ? "receiving" : `nothing for ${duration(news.age_s)}`;
  byId("disk").textContent = news.disk_gb === null ? "does not answer" : `${news.disk_gb} GB free`;
  byId("since").textContent = news.since ? new Date(news.since).toLocaleTimeString() : "-";
  byId("received").textContent =
    `${news.messages.toLocaleString()} of ${news.kinds} ${news.kinds === 1 ? "kind" : "kinds"}, ${news.malformed} malformed`;
  byId("marks").replaceChildren(...news.marks.map((mark) => {
    const item = document.createElement("li");
    item.textContent = `${new Date(mark.at).toLocaleTimeString()} ${mark.label}`;
    return item;
  }));
  const recent = news.recent;
  if (!recent) return;
  byId("worn").textContent = duration(recent.worn_s);
  const rate = recent.rate;
  const known = rate && rate.rate_per_min !== null;
  byId("rate").textContent = known ? Math.round(rate.rate_per_min) : "-";
  byId("interval").textContent = known && rate.low !== null
    ? `${Math.round(rate.low)} to ${Math.round(rate.high)}, last 3 min, of these minutes`
    : "too little usable time in the last 3 min";
  byId("noise").textContent = `${Math.round(recent.noise_s)} s`;
  byId("steps").textContent = recent.steps;
  const share = recent.packets ? 100 * recent.lost / recent.packets : 0;
  byId("lost").textContent = `${share.toFixed(1)} % (${recent.lost} of ${recent.packets})`;
  byId("battery").textContent = recent.battery === null ? "-"
    : recent.battery === 0 ? "charging" : `${recent.battery} of 5`;
  draw(recent, news.marks, Date.parse(news.now));
}

async function look() {
  try {
    const answer = await fetch(`/news?account=${encodeURIComponent(account)}`);
    show(await answer.json());
  } catch {
    byId("status").textContent = "eyelog listen does not answer";
  }
  setTimeout(look, 1000);
}
look();

byId("mark").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = new URLSearchParams({account, label: byId("label").value});
  const answer = await fetch("/mark", {method: "POST", body});
  if (answer.ok) byId("label").value = "";
  else byId("status").textContent = `not marked: ${await answer.text()}`;
});
