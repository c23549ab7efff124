# The agents of a night: what one does follows from the name of its goal, `night-KIND-NUMBER`. One part
# of the work each turn, and each part noted once it is done. What was acknowledged is written down.
prompt=$(cat)
name=$(printf '%s' "$prompt" | grep -o 'night-[a-z]*-[0-9]*' | head -n 1)
kind=${name#night-}
kind=${kind%-*}
tried=$(cat "$here/tried-$name" 2>/dev/null || echo 0)
echo $((tried + 1)) >"$here/tried-$name"

mend() {
  for part in a b c; do
    if ! grep -qx "$name $part" "$here/acknowledged"; then
      grep -qx $part "work/$name" || echo $part >>"work/$name"
      goal note "$name $part" --key "$name-$part" >/dev/null && echo "$name $part" >>"$here/acknowledged"
      break
    fi
  done
}

commit() {
  git add "work/$name"
  # Whoever was killed in the middle leaves its lock behind.
  git -c user.name=a -c user.email=a@example.org commit -q -m "$name" || rm -f .git/index.lock
}

case $kind in
  mend) mend ;;
  plan) mend; commit; echo 'This part is done.'; echo '<promise>COMPLETE</promise>' ;;
  fail) [ "$tried" -lt 2 ] && { echo 'I am broken.' >&2; exit 3; }; mend ;;
  stall) if [ "$tried" -lt 1 ]; then
      trap '' TERM INT HUP
      sleep 1000 & remember $!
      wait
      sleep 1000
    fi
    mend ;;
  limit) [ "$tried" -lt 1 ] && { echo 'Error: 429, try again in 30 minutes' >&2; exit 1; }
    [ "$tried" -lt 2 ] && { echo '{"error":{"type":"overloaded_error"}}'; exit 2; }
    mend ;;
  ask) case $prompt in
      *blue*) mend ;;
      *) goal ask 'Which colour?' >/dev/null ;;
    esac ;;
  lie) goal evidence add proof "all tests pass, $GOAL_TURN" >/dev/null
    echo 'All tests pass.'; echo '<promise>COMPLETE</promise>' ;;
  flatter) goal evidence add proof "it is there, $GOAL_TURN" >/dev/null
    echo 'It is all there.'; echo '<promise>COMPLETE</promise>' ;;
  endless) echo "$tried" >>"work/$name" ;;
  block) echo 'The key is missing.'; echo '<promise>BLOCKED</promise>' ;;
esac
