// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints numbers of the row of python_layouts.c for the CPython, from 3.11 on, whose headers it is
 * compiled with. How marks and threads work is in no header.
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_runtime.h>

#include <stddef.h>
#include <stdio.h>

#define PRINT(name, type, field) printf("\t\t.%s = %zu,\n", name, offsetof(type, field))

int main(void)
{
	printf("\t[%d] = {\n", PY_MINOR_VERSION);
#if PY_VERSION_HEX < 0x030d0000
	PRINT("tstate_list", PyThreadState, cframe);
	PRINT("list_frame", _PyCFrame, current_frame);
	PRINT("list_next", _PyCFrame, previous);
#else
	PRINT("tstate_frame", PyThreadState, current_frame);
#endif
	PRINT("tstate_thread", PyThreadState, thread_id);
	PRINT("frame_next", _PyInterpreterFrame, previous);
#if PY_VERSION_HEX < 0x030d0000
	PRINT("frame_code", _PyInterpreterFrame, f_code);
#else
	PRINT("frame_code", _PyInterpreterFrame, f_executable);
#endif
#if PY_VERSION_HEX < 0x030c0000
	PRINT("frame_owner", _PyInterpreterFrame, is_entry);
	PRINT("key", _PyRuntimeState, gilstate.autoTSSkey._key);
#else
	PRINT("frame_owner", _PyInterpreterFrame, owner);
	PRINT("key", _PyRuntimeState, autoTSSkey._key);
	PRINT("code_version", PyCodeObject, co_version);
#endif
	PRINT("code_flags", PyCodeObject, co_flags);
	PRINT("code_line", PyCodeObject, co_firstlineno);
	PRINT("code_file", PyCodeObject, co_filename);
	PRINT("code_name", PyCodeObject, co_qualname);
	PRINT("text_length", PyASCIIObject, length);
	printf("\t\t.text_ascii = %zu,\n", sizeof(PyASCIIObject));
	printf("\t\t.text_other = %zu},\n", sizeof(PyCompactUnicodeObject));
	return 0;
}
