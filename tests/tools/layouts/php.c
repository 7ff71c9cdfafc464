// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the row of php_layouts.c for the PHP whose headers it is compiled with. */
#include <php.h>

#include <zend_extensions.h>
#include <zend_generators.h>
#include <zend_globals.h>

#include <stddef.h>
#include <stdio.h>

#define PRINT(name, type, field) printf(".%s = %zu,\n", name, offsetof(type, field))

int main(void)
{
	printf("\t{.version = {%d, %d},\n", PHP_MAJOR_VERSION, PHP_MINOR_VERSION);
	printf("\t .build = \"API%d,NTS\",\n\t .layout = {", ZEND_EXTENSION_API_NO);
	PRINT("globals_frame", zend_executor_globals, current_execute_data);
	printf("\t\t    ");
	PRINT("generator_frame", zend_generator, execute_data);
	printf("\t\t    ");
	PRINT("generator_parent", zend_generator, node.parent);
	printf("\t\t    ");
	PRINT("generator_stand_in", zend_generator, execute_fake);
	printf("\t\t    ");
	PRINT("function_code", zend_op_array, opcodes);
	printf("\t\t    ");
	PRINT("function_file", zend_op_array, filename);
	printf("\t\t    .closure_bit = %d}},\n", __builtin_ctz(ZEND_ACC_CLOSURE));
	return 0;
}
