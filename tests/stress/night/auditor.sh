# The auditor of a night: it looks at the work. It is down at its first audit of some goals, and words
# each objection anew.
name=$(grep -o 'night-[a-z]*-[0-9]*' | head -n 1)
echo "$name" >>"$here/audits"
case $name in
  night-mend-*) if [ ! -e "$here/up-$name" ]; then
      : >"$here/up-$name"
      echo 'connection refused' >&2
      exit 1
    fi ;;
esac
for part in a b c; do
  if ! grep -qx $part "work/$name"; then
    n=$(grep -cx "$name" "$here/audits")
    for word in no never not hardly barely scarcely; do
      n=$((n - 1))
      [ $n -le 0 ] && break
    done
    echo "I can $word see part $part."
    echo '<disapproved/>'
    exit 0
  fi
done
echo 'All parts are there.'
echo '<approved/>'
