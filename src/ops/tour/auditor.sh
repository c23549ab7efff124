#!/bin/sh
# The tour's auditor. Yours would be an agent or a person; what counts is the same: it believes
# nothing but what it finds in the work tree, which is its working directory.
cat >/dev/null # the prompt: the contract, the claim, the rules of judging

objections=0
object() {
    objections=$((objections + 1))
    echo "$objections. $1"
}

heading=$(grep -s '^## 1\.0' CHANGELOG.md) || object 'CHANGELOG.md has no section for version 1.0.'
echo "$heading" | grep -q '[0-9]\{4\}-[0-9][0-9]-[0-9][0-9]' || object 'No section for 1.0 gives a date.'

if [ "$objections" -gt 0 ]; then
    echo '<disapproved/>'
else
    echo "Both criteria are met: CHANGELOG.md has the heading '$heading'."
    echo '<approved/>'
fi
