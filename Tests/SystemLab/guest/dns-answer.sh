# One DNS answer on standard output to the query on standard input: whatever name is asked for has the address
# 203.0.113.1. Hexadecimal digits throughout, as a shell's variables cannot hold a zero byte.
query=$(od -An -v -tx1 | tr -d ' \n')
question=${query:24}
length=0
# Labels up to the empty one, and then type and class; what follows (EDNS) is not repeated.
while [ "${question:length:2}" != 00 ] && [ -n "${question:length:2}" ]; do
    length=$((length + 2 + 2 * 16#${question:length:2}))
done
question=${question:0:length+10}
answers=0000 record='' escaped=''
if [ "${question:length+2:4}" = 0001 ]; then
    answers=0001 record=c00c000100010000003c0004cb007101
fi
reply=${query:0:4}81800001${answers}00000000$question$record
for ((at = 0; at < ${#reply}; at += 2)); do escaped+="\\x${reply:at:2}"; done
printf %b "$escaped"
