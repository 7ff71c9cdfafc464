#!/usr/bin/env bash
# tests: doc/units doc/profrec.service doc/profrec.default tests/units/guest record/system/privilege.c
# The units of hosts and of a collector under systemd, in an emulated machine with Debian 12 and Linux 6.1: profrec records,
# rsync sends, profrep makes tables. UNITS_SERIES=6.12 takes Debian 13. UNITS_ROOT is a root to use in place of a new one.
# TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
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

# The programs, with libraries that the root lacks.
cp "$BUILD/static/profrec" "$BUILD/profrep" "$BUILD/workloads/func_ab" "$root/usr/bin/"
ldd "$BUILD/profrep" | grep -o '/[^ :]* (' | tr -d ' (' | while read -r library; do
	find "$root/usr/lib" "$root/lib64/" -name "$(basename "$library")" | grep -q . || cp -L "$library" "$root/usr/lib/"
done

# The units, as doc/fleet.md says.
mkdir -p "$root"/etc/{sysusers.d,tmpfiles.d,sysctl.d,default,systemd/system/multi-user.target.wants} "$root/usr/libexec"
units=$root/etc/systemd/system
cp doc/profrec.service doc/units/*.service doc/units/*.timer "$units/"
cp doc/units/profrep-collect "$root/usr/libexec/"
cp doc/units/profrep.default "$root/etc/default/profrep"
for name in profrec profrep; do
	cp doc/units/$name.sysusers "$root/etc/sysusers.d/$name.conf"
	cp doc/units/$name.tmpfiles "$root/etc/tmpfiles.d/$name.conf"
done
cp doc/units/profrec.sysctl "$root/etc/sysctl.d/profrec.conf"
# Files of 20 seconds in place of an hour.
sed 's/-i 60/-i 10/; s/--rotate 3600/--rotate 20/' doc/profrec.default > "$root/etc/default/profrec"

cp tests/units/guest "$root/guest"
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
modules="virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk"
for module in $modules; do
	file=$(find "$kernel/modules/kernel/drivers/virtio" "$kernel/modules/kernel/drivers/block" -name "$module.ko*")
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
	-drive "file=$dir/disk,format=raw,if=virtio,cache=unsafe" -serial "file:$dir/console" -serial "file:$dir/tap"
tr -d '\r' < "$dir/tap" > "$dir/lines"
tap_of cat "$dir/lines"
check "the machine came to its end" grep -qx '# done' "$dir/lines"
plan_end
