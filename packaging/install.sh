#!/bin/sh
# Installs the program `goal` for one user, without Rust and without root: fetches the archive of this
# platform, compares its checksum, and copies the programs, the manual pages, the completions and the
# JSON schemas.
#
#   install.sh [--from PLACE] [--version VERSION] [--to DIR]
#   install.sh --uninstall [--to DIR]
#
# PLACE is a directory or an address that has the archives and SHA256SUMS; without it, the release that
# this script came with. DIR is ~/.local unless named. --uninstall removes what was installed there.
set -eu

# A release writes its repository here.
repository=${GOAL_REPOSITORY:-}

fail() { printf 'error: %s\n' "$1" >&2; [ -z "${2:-}" ] || printf '  %s\n' "$2" >&2; exit 1; }
has() { command -v "$1" > /dev/null 2>&1; }

from=
version=latest
to=$HOME/.local
uninstall=no
while [ $# -gt 0 ]; do
  case $1 in
    --from | --version | --to) [ $# -ge 2 ] || fail "$1 needs a value" ;;
  esac
  case $1 in
    --from) from=${2%/}; shift 2 ;;
    --version) version=$2; shift 2 ;;
    --to) to=${2%/}; shift 2 ;;
    --uninstall) uninstall=yes; shift ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "unexpected argument: $1" "see install.sh --help" ;;
  esac
done

if [ "$uninstall" = yes ]; then
  list=$to/share/goal/installed
  [ -f "$list" ] || fail "$to has nothing that this script installed" "name the directory: --uninstall --to DIR"
  while IFS= read -r file; do rm -f "$to/$file"; done < "$list"
  rm -f "$list"
  rmdir "$to/share/goal/schemas" "$to/share/goal"
  printf 'Removed goal from %s.\n' "$to"
  printf 'Yours to remove: settings in ~/.config/goal, your key in ~/.local/state/goal, saved states in ~/.cache/goal, and .pi/goals in each project, which holds its goals.\n'
  exit 0
fi

case $(uname -s)-$(uname -m) in
  Linux-x86_64 | Linux-amd64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *) fail "there is no archive for $(uname -s) on $(uname -m)" "with Rust, in a checkout: cargo install --path ." ;;
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
# The attestation says who built it, which the checksum, from the same place, cannot. A `gh` that is
# too old or not logged in cannot verify it; that says nothing about the archive.
attested="; its attestation was not verified"
if [ -z "$repository" ]; then
  attested=
elif ! has gh; then
  attested="$attested (gh is not installed)"
elif ! gh attestation verify --help > /dev/null 2>&1; then
  attested="$attested (this gh is too old)"
elif ! gh auth status > /dev/null 2>&1; then
  attested="$attested (gh is not logged in)"
else
  gh attestation verify "$work/$archive" --repo "$repository" || fail "$archive has no valid attestation of $repository" "nothing was installed"
  attested=", and its attestation fits"
fi

tar -xzf "$work/$archive" -C "$work"
unpacked=$work/goal-$target
"$unpacked/bin/goal" --version > /dev/null || fail "the program in $archive does not run here"

# Copies a file of the archive below DIR, and notes it for --uninstall.
: > "$work/installed"
place() {
  mkdir -p "$to/${2%/*}"
  # A program that runs keeps its file: the new one takes the name.
  cp "$1" "$to/${2%/*}/.goal.new"
  mv "$to/${2%/*}/.goal.new" "$to/$2"
  printf '%s\n' "$2" >> "$work/installed"
}
for file in "$unpacked/bin/"*; do place "$file" "bin/${file##*/}"; done
for file in "$unpacked/man/"*.1; do place "$file" "share/man/man1/${file##*/}"; done
place "$unpacked/completions/goal.bash" share/bash-completion/completions/goal
place "$unpacked/completions/_goal" share/zsh/site-functions/_goal
place "$unpacked/completions/goal.fish" share/fish/vendor_completions.d/goal.fish
for file in "$unpacked/schemas/"*.json; do place "$file" "share/goal/schemas/${file##*/}"; done
# What an earlier version installed and this one has no more.
list=$to/share/goal/installed
if [ -f "$list" ]; then
  while IFS= read -r file; do
    grep -qxF "$file" "$work/installed" || rm -f "$to/$file"
  done < "$list"
fi
mkdir -p "$to/share/goal"
cp "$work/installed" "$list"

printf 'Installed %s as %s; its checksum fits%s.\n' "$("$to/bin/goal" --version)" "$to/bin/goal" "$attested"
case :$PATH: in
  *:"$to/bin":*) ;;
  *) printf '%s is not on your PATH: add it, for example in ~/.profile.\n' "$to/bin" ;;
esac
case ${SHELL:-} in
  */zsh) printf 'For completions, put this before compinit in ~/.zshrc: fpath+=(%s)\n' "$to/share/zsh/site-functions" ;;
esac
printf 'Next: goal tour\n'
