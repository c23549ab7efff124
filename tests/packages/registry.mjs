// A registry on loopback that has the tarballs of one directory and nothing else, so that npm installs
// them as it installs what is published.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

/** Serves until the test ends; gives its address. */
export async function registry(t, directory) {
  const tarballs = readdirSync(directory).filter((name) => name.endsWith(".tgz"));
  const packages = new Map(tarballs.map((tarball) => {
    const path = join(directory, tarball);
    const manifest = JSON.parse(execFileSync("tar", ["xzOf", path, "package/package.json"], { encoding: "utf8" }));
    return [manifest.name, { tarball, manifest, bytes: readFileSync(path) }];
  }));
  const server = http.createServer((request, response) => {
    const [name, tarball] = decodeURIComponent(request.url).slice(1).split("/-/");
    const found = packages.get(name);
    if (!found) return response.writeHead(404).end("{}");
    if (tarball) return response.end(found.bytes);
    const { version } = found.manifest;
    const dist = {
      tarball: `http://${request.headers.host}/${name}/-/${found.tarball}`,
      integrity: `sha512-${createHash("sha512").update(found.bytes).digest("base64")}`,
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...found.manifest, dist } } }));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}
