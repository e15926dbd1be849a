import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findNetworkFileSystem, mountedAs, networkKind } from "#stores/platform/network-file-system.ts";

const MOUNTS = [
  "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
  "31 22 0:26 / /srv rw - nfs4 server:/srv rw",
  "32 31 0:27 / /srv/ada/far rw - fuse.sshfs ada@far:/ rw",
  "33 22 0:28 / /mnt/with\\040space rw - cifs //server/share rw",
  "a line that is none",
].join("\n");

describe("the kind of a file system", () => {
  it.each([
    { type: 0x6969, name: "nfs", kind: "nfs", why: "a number of the network" },
    { type: -11317950, name: "cifs", kind: "cifs", why: "the number as a signed word" },
    { type: 0xef53, name: "ext4", kind: undefined, why: "a local disk" },
    { type: 0x65735546, name: "fuse.sshfs", kind: "fuse.sshfs", why: "in user space, and far away" },
    { type: 0x65735546, name: "fuseblk", kind: undefined, why: "in user space, on a local disk" },
    { type: 0x65735546, name: undefined, kind: "fuse", why: "in user space, nobody knows where" },
  ])("is $kind for $name: $why", ({ type, name, kind }) => {
    expect(networkKind(type, () => name)).toBe(kind);
  });

  it.each([
    { path: "/srv/ada/far/sessions", name: "fuse.sshfs", why: "the nearest mount counts" },
    { path: "/srv/ada/farther", name: "nfs4", why: "a name that only begins alike is another folder" },
    { path: "/mnt/with space/x", name: "cifs", why: "spaces are written as numbers" },
    { path: "/var", name: "ext4", why: "the root has everything else" },
  ])("is read from the mounts, for $path: $why", ({ path, name }) => {
    expect(mountedAs(path, MOUNTS)).toBe(name);
  });

  it("is none for a folder of this machine, which need not be there yet", () => {
    expect(findNetworkFileSystem(join(tmpdir(), "not", "there", "yet"))).toBeUndefined();
  });
});
