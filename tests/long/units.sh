#!/usr/bin/env bash
# The units of hosts and of a collector under systemd, in an emulated machine with Debian 12 and Linux 6.1: profrec records,
# profrep pushes to a receiver outside of the machine, rsync sends, profrep makes tables. UNITS_SERIES=6.12 takes Debian 13.
# UNITS_ROOT is a root to use in place of a new one. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/receiver.sh
. tests/lib/receiver.sh
need_receiver
for tool in qemu-system-x86_64 debootstrap mke2fs cpio busybox; do
	command -v $tool > "$dir/log" || skip_all "$tool is not installed"
done
series=${UNITS_SERIES:-6.1}
why=$(tests/kernels/fetch "$series") || skip_all "$why"
kernel=$BUILD/kernels/$series
[ "$series" = 6.1 ] && release=bookworm || release=trixie
root=$dir/root
packages=systemd,systemd-sysv,dbus,zstd,rsync,openssh-server,openssh-client,procps,iproute2,python3-minimal,python3-braceexpand
if [ "${UNITS_ROOT:-}" ]; then
	cp -a "$UNITS_ROOT" "$root"
else
	debootstrap --variant=minbase --include="$packages" "$release" "$root" "$(tests/fresh/mirror)" > "$dir/log" 2>&1 ||
		skip_all "debootstrap fails: $(tail -n 1 "$dir/log")"
fi

# The programs, with libraries that the root lacks. profrep loads libcurl when it needs it.
cp "$BUILD/static/profrec" "$BUILD/profrep" "$BUILD/workloads/func_ab" "$root/usr/bin/"
libcurl=$(ldconfig -p | sed -n 's/.*libcurl\.so\.4 .*=> //p' | head -n 1)
{ echo "$libcurl"; ldd "$BUILD/profrep" "$libcurl" | grep -o '/[^ :]* (' | tr -d ' ('; } | while read -r library; do
	find "$root/usr/lib" "$root/lib64/" -name "$(basename "$library")" | grep -q . || cp -L "$library" "$root/usr/lib/"
done

# The units, as doc/fleet.md says.
mkdir -p "$root"/etc/{sysusers.d,tmpfiles.d,sysctl.d,default,systemd/system/multi-user.target.wants} "$root/usr/libexec"
units=$root/etc/systemd/system
cp packaging/systemd/*.service packaging/systemd/*.timer "$units/"
cp packaging/systemd/profrep-collect "$root/usr/libexec/"
cp packaging/systemd/profrep.default "$root/etc/default/profrep"
for name in profrec profrep; do
	cp packaging/systemd/$name.sysusers "$root/etc/sysusers.d/$name.conf"
	cp packaging/systemd/$name.tmpfiles "$root/etc/tmpfiles.d/$name.conf"
done
cp packaging/systemd/profrec.sysctl "$root/etc/sysctl.d/profrec.conf"
# Files of 20 seconds in place of an hour.
sed 's/-i 60/-i 10/; s/--rotate 3600/--rotate 20/' packaging/systemd/profrec.default > "$root/etc/default/profrec"

# The receiver is outside of the machine, where QEMU shows this one's ports.
tree=$PWD
cd "$dir" || exit 1
start_receiver
cd "$tree" || exit 1
echo "PROFREP_PUSH=--label env=test http://10.0.2.2:$port" > "$root/etc/default/profrep-push"

cp tests/services/guest "$root/guest"
echo web7 > "$root/etc/hostname"
: > "$root/etc/machine-id"
cat > "$units/guest.service" << END
[Unit]
Description=the test
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash /guest
StandardOutput=tty
TTYPath=/dev/ttyS1
TimeoutStartSec=infinity
END
ln -sf ../guest.service "$units/multi-user.target.wants/"
for unit in apt-daily.timer apt-daily-upgrade.timer fstrim.timer getty@tty1.service serial-getty@ttyS0.service; do
	ln -sf /dev/null "$units/$unit"
done

# An initramfs that mounts the disk.
mkdir -p "$dir"/init/{bin,modules,proc,dev,new}
cp "$(command -v busybox)" "$dir/init/bin/busybox"
modules="virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk failover net_failover virtio_net"
for module in $modules; do
	file=$(find "$kernel"/modules/kernel/{drivers/{virtio,block,net},net/core} -name "$module.ko*")
	case $file in
	*.xz) xz -dc "$file" > "$dir/init/modules/$module.ko" ;;
	*.ko) cp "$file" "$dir/init/modules/" ;;
	esac
done
cat > "$dir/init/init" << END
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs none /dev
for module in $modules; do
	[ ! -e /modules/\$module.ko ] || /bin/busybox insmod /modules/\$module.ko
done
/bin/busybox mount -t ext4 /dev/vda /new || /bin/busybox poweroff -f
/bin/busybox mount --move /dev /new/dev
exec /bin/busybox switch_root /new /sbin/init
END
chmod +x "$dir/init/init"
(cd "$dir/init" && find . | cpio -o -H newc --quiet) > "$dir/initramfs"
mke2fs -q -t ext4 -d "$root" "$dir/disk" 1G > "$dir/log" 2>&1 || skip_all "mke2fs fails: $(tail -n 1 "$dir/log")"
timeout --foreground --kill-after=5 "${UNITS_TIMEOUT:-1800}" \
	qemu-system-x86_64 -accel tcg -cpu max -m 1500M -smp 2 -no-reboot -nodefaults -display none -monitor none \
	-kernel "$kernel/vmlinuz" -initrd "$dir/initramfs" \
	-append "console=ttyS0 quiet panic=-1 nowatchdog systemd.default_timeout_start_sec=600" \
	-drive "file=$dir/disk,format=raw,if=virtio,cache=unsafe" -netdev user,id=net -device virtio-net-pci,netdev=net,romfile= \
	-serial "file:$dir/console" -serial "file:$dir/tap" -serial "file:$dir/folded"
tr -d '\r' < "$dir/tap" > "$dir/lines"
tap_of cat "$dir/lines"
# Without the names of threads, as in folded_sums.
folded() { tr -d '\r' < "$dir/folded" | sed -E 's/^[^;]*;//; t; s/^.* ([0-9]+)$/[no stack] \1/' | add_up; }
has_all() { [ -s "$dir/folded" ] && diff <(folded) <(cd "$dir" && receiver_sums); }
check "the receiver has all samples, each once" has_all
labels() { sed -E 's/.*("env": "[^"]*"), ("host": "[^"]*").*/\1, \2/' "$dir/receiver/profiles" | sort -u; }
check "samples at the receiver have the host and the label" same "$(labels)" '"env": "test", "host": "web7"'
end_receiver
came_to_end() { grep -qx '# done' "$dir/lines" || { tail -n 20 "$dir/console"; return 1; }; }
check "the machine came to its end" came_to_end
plan_end
