#!/bin/sh
# Installs the program `goal` for one user, without Rust and without root: fetches the archive of this
# platform, compares its checksum, and copies the program and its manual pages.
#
#   install.sh [--from PLACE] [--version VERSION] [--to DIR]
#
# PLACE is a directory or an address that has the archives and SHA256SUMS; without it, the release that
# this script came with. DIR is ~/.local unless named.
set -eu

# A release writes its repository here.
repository=${GOAL_REPOSITORY:-}

fail() { printf 'error: %s\n' "$1" >&2; [ -z "${2:-}" ] || printf '  %s\n' "$2" >&2; exit 1; }
has() { command -v "$1" > /dev/null 2>&1; }

from=
version=latest
to=$HOME/.local
while [ $# -gt 0 ]; do
  case $1 in
    --from | --version | --to) [ $# -ge 2 ] || fail "$1 needs a value" ;;
  esac
  case $1 in
    --from) from=${2%/}; shift 2 ;;
    --version) version=$2; shift 2 ;;
    --to) to=${2%/}; shift 2 ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "unexpected argument: $1" "see install.sh --help" ;;
  esac
done

case $(uname -s)-$(uname -m) in
  Linux-x86_64 | Linux-amd64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *) fail "there is no archive for $(uname -s) on $(uname -m)" "with Rust: cargo install goal-ledger" ;;
esac
archive=goal-$target.tar.gz

if [ -z "$from" ]; then
  [ -n "$repository" ] || fail "this copy of the script belongs to no release" "say where the archives are: --from PLACE"
  case $version in
    latest) from=https://github.com/$repository/releases/latest/download ;;
    *) from=https://github.com/$repository/releases/download/v${version#v} ;;
  esac
else
  repository=
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
get() {
  if [ -d "$from" ]; then
    [ -f "$from/$1" ] || fail "$from has no $1"
    cp "$from/$1" "$work/$1"
  elif has curl; then
    curl --fail --silent --show-error --location --output "$work/$1" "$from/$1" || fail "$from/$1 cannot be fetched"
  elif has wget; then
    wget --quiet --output-document="$work/$1" "$from/$1" || fail "$from/$1 cannot be fetched"
  else
    fail "neither curl nor wget is there"
  fi
}
get "$archive"
get SHA256SUMS

expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$work/SHA256SUMS")
[ -n "$expected" ] || fail "SHA256SUMS does not name $archive"
if has sha256sum; then actual=$(sha256sum < "$work/$archive")
elif has shasum; then actual=$(shasum -a 256 < "$work/$archive")
else fail "neither sha256sum nor shasum is there, so the archive cannot be checked"
fi
[ "${actual%% *}" = "$expected" ] || fail "$archive is not what SHA256SUMS says" "nothing was installed"
# Says who built it, which the checksum, from the same place, cannot.
if [ -n "$repository" ] && has gh; then
  gh attestation verify "$work/$archive" --repo "$repository" || fail "$archive has no valid attestation of $repository" "nothing was installed"
  attested=", and its attestation fits"
fi

tar -xzf "$work/$archive" -C "$work"
"$work/goal-$target/bin/goal" --version > /dev/null || fail "the program in $archive does not run here"
mkdir -p "$to/bin" "$to/share/man/man1"
# A program that runs keeps its file: the new one takes the name.
cp "$work/goal-$target/bin/goal" "$to/bin/.goal.new"
mv "$to/bin/.goal.new" "$to/bin/goal"
cp "$work/goal-$target/man/"*.1 "$to/share/man/man1/"
printf 'Installed %s as %s; its checksum fits%s.\n' "$("$to/bin/goal" --version)" "$to/bin/goal" "${attested:-}"
case :$PATH: in
  *:"$to/bin":*) ;;
  *) printf '%s is not on your PATH: add it, for example in ~/.profile.\n' "$to/bin" ;;
esac
printf 'Next: goal tour\n'
