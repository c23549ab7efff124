#!/bin/sh
# The tour's auditor. Yours would be an agent or a person, but what counts is the
# same: it believes only what it finds in the work tree, its working directory.
cat >/dev/null # the prompt: the contract, the claim, and how to judge

objections=0
object() {
    objections=$((objections + 1))
    echo "$objections. $1"
}

heading=$(grep -s '^## 1\.0' CHANGELOG.md) ||
    object 'CHANGELOG.md has no section for version 1.0.'
echo "$heading" | grep -q '[0-9]\{4\}-[0-9][0-9]-[0-9][0-9]' ||
    object 'No heading gives the date of the release.'

if [ "$objections" -gt 0 ]; then
    echo '<disapproved/>'
else
    echo "Both criteria are met: CHANGELOG.md has the heading '$heading'."
    echo '<approved/>'
fi
