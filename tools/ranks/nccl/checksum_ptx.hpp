// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Made of checksum_kernel.cu by tests/ranks/check_kernel.py --update. nvcc: release 13.0.

namespace warpsafe::ranks {

inline constexpr char checksum_function[] = "warpsafe_checksum";
inline constexpr char checksum_ptx[] = R"(
.version 6.3
.target sm_70
.address_size 64
.global .align 8 .b8 _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$5[24] = {64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 240, 127, 255, 255, 255, 255, 255, 255, 15};
.global .align 8 .b8 _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$6[24] = {32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 127, 0, 0, 0, 0, 255, 255, 127};
.global .align 8 .b8 _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$7[24] = {16, 0, 0, 0, 0, 0, 0, 0, 0, 124, 0, 0, 0, 0, 0, 0, 255, 3};
.global .align 8 .b8 _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$8[24] = {16, 0, 0, 0, 0, 0, 0, 0, 128, 127, 0, 0, 0, 0, 0, 0, 127};
.global .align 8 .b8 _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$9[24] = {8, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 0, 0, 0, 0, 0, 127};
.global .align 8 .b8 _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$10[24] = {8, 0, 0, 0, 0, 0, 0, 0, 124, 0, 0, 0, 0, 0, 0, 0, 3};
.global .align 8 .b8 _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$11[24];
.visible .entry warpsafe_checksum(
	.param .u64 warpsafe_checksum_param_0,
	.param .u64 warpsafe_checksum_param_1,
	.param .u32 warpsafe_checksum_param_2,
	.param .u64 warpsafe_checksum_param_3
)
.maxntid 512, 1, 1
{
	.reg .pred 	%p<86>;
	.reg .b32 	%r<115>;
	.reg .b64 	%rd<675>;
	.shared .align 8 .b8 _ZZ17warpsafe_checksumE4sums[4096];
	.shared .align 8 .b8 _ZZ17warpsafe_checksumE4nans[4096];
	.shared .align 8 .b8 _ZZ17warpsafe_checksumE10infinities[4096];
	.shared .align 8 .b8 _ZZ17warpsafe_checksumE6firsts[4096];
	ld.param.u64 	%rd243, [warpsafe_checksum_param_0];
	ld.param.u64 	%rd244, [warpsafe_checksum_param_1];
	ld.param.u32 	%r22, [warpsafe_checksum_param_2];
	cvta.to.global.u64 	%rd1, %rd243;
	mov.u32 	%r23, %ctaid.x;
	cvt.u64.u32 	%rd2, %r23;
	mul.wide.u32 	%rd247, %r23, 512;
	mov.u32 	%r1, %tid.x;
	cvt.u64.u32 	%rd3, %r1;
	add.s64 	%rd646, %rd247, %rd3;
	mov.u32 	%r24, %nctaid.x;
	cvt.u64.u32 	%rd5, %r24;
	mul.wide.u32 	%rd6, %r24, 512;
	mov.u64 	%rd561, _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$5;
	setp.gt.s32 	%p1, %r22, 3;
	@%p1 bra 	$L__BB0_5;
	setp.eq.s32 	%p5, %r22, 1;
	@%p5 bra 	$L__BB0_13;
	setp.eq.s32 	%p6, %r22, 2;
	@%p6 bra 	$L__BB0_10;
	setp.eq.s32 	%p7, %r22, 3;
	@%p7 bra 	$L__BB0_4;
	bra.uni 	$L__BB0_12;
$L__BB0_4:
	mov.u64 	%rd561, _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$7;
	bra.uni 	$L__BB0_13;
$L__BB0_5:
	setp.eq.s32 	%p2, %r22, 4;
	@%p2 bra 	$L__BB0_9;
	setp.eq.s32 	%p3, %r22, 6;
	@%p3 bra 	$L__BB0_11;
	setp.ne.s32 	%p4, %r22, 5;
	@%p4 bra 	$L__BB0_12;
	mov.u64 	%rd561, _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$9;
	bra.uni 	$L__BB0_13;
$L__BB0_10:
	mov.u64 	%rd561, _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$6;
	bra.uni 	$L__BB0_13;
$L__BB0_9:
	mov.u64 	%rd561, _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$8;
	bra.uni 	$L__BB0_13;
$L__BB0_11:
	mov.u64 	%rd561, _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$10;
	bra.uni 	$L__BB0_13;
$L__BB0_12:
	mov.u64 	%rd561, _ZN8warpsafe5ranks10FormatBits2ofENS0_6FormatE$11;
$L__BB0_13:
	ld.global.nc.u32 	%r25, [%rd561];
	cvt.u64.u32 	%rd8, %r25;
	mov.u64 	%rd642, 0;
	ld.global.nc.u64 	%rd9, [%rd561+8];
	ld.global.nc.u64 	%rd10, [%rd561+16];
	shr.u64 	%rd11, %rd244, 3;
	and.b64  	%rd258, %rd243, 7;
	setp.ne.s64 	%p8, %rd258, 0;
	mov.u64 	%rd570, -1;
	mov.u64 	%rd572, %rd642;
	mov.u64 	%rd571, %rd642;
	@%p8 bra 	$L__BB0_66;
	mul.lo.s64 	%rd12, %rd5, 1536;
	add.s64 	%rd562, %rd646, %rd12;
	setp.ge.u64 	%p9, %rd562, %rd11;
	mov.u64 	%rd570, -1;
	mov.u64 	%rd642, 0;
	@%p9 bra 	$L__BB0_53;
	cvt.u32.u64 	%r26, %rd8;
	mov.u32 	%r27, 64;
	sub.s32 	%r28, %r27, %r26;
	mov.u64 	%rd570, -1;
	shr.u64 	%rd14, %rd570, %r28;
	shr.u64 	%rd267, %rd14, 1;
	add.s64 	%rd15, %rd267, 1;
	shl.b64 	%rd16, %rd5, 11;
	shl.b64 	%rd268, %rd3, 3;
	shl.b64 	%rd269, %rd2, 12;
	add.s64 	%rd270, %rd269, %rd268;
	add.s64 	%rd568, %rd1, %rd270;
	shl.b64 	%rd18, %rd5, 12;
	mov.u64 	%rd571, 0;
	mov.u64 	%rd572, %rd571;
	mov.u64 	%rd642, %rd571;
$L__BB0_16:
	setp.eq.s32 	%p10, %r26, 0;
	ld.global.u64 	%rd569, [%rd568];
	add.s64 	%rd271, %rd568, %rd18;
	ld.global.u64 	%rd582, [%rd271];
	add.s64 	%rd272, %rd271, %rd18;
	ld.global.u64 	%rd595, [%rd272];
	add.s64 	%rd31, %rd272, %rd18;
	ld.global.u64 	%rd608, [%rd31];
	@%p10 bra 	$L__BB0_25;
	mov.u32 	%r107, 0;
$L__BB0_18:
	cvt.u64.u32 	%rd38, %r107;
	shr.u64 	%rd273, %rd569, %r107;
	and.b64  	%rd39, %rd273, %rd14;
	and.b64  	%rd274, %rd39, %rd9;
	setp.eq.s64 	%p11, %rd274, %rd9;
	@%p11 bra 	$L__BB0_20;
	bra.uni 	$L__BB0_19;
$L__BB0_20:
	shl.b64 	%rd550, %rd646, 6;
	add.s64 	%rd41, %rd550, %rd38;
	and.b64  	%rd278, %rd41, -4294967296;
	setp.eq.s64 	%p13, %rd278, 0;
	@%p13 bra 	$L__BB0_22;
	div.u64 	%rd573, %rd41, %rd8;
	bra.uni 	$L__BB0_23;
$L__BB0_19:
	setp.eq.s64 	%p12, %rd39, %rd15;
	cvt.u32.u64 	%r31, %rd38;
	shl.b64 	%rd275, %rd15, %r31;
	not.b64 	%rd276, %rd275;
	selp.b64 	%rd277, %rd276, -1, %p12;
	and.b64  	%rd569, %rd277, %rd569;
	bra.uni 	$L__BB0_24;
$L__BB0_22:
	cvt.u32.u64 	%r33, %rd41;
	div.u32 	%r34, %r33, %r26;
	cvt.u64.u32 	%rd573, %r34;
$L__BB0_23:
	and.b64  	%rd279, %rd39, %rd10;
	setp.ne.s64 	%p14, %rd279, 0;
	min.u64 	%rd570, %rd573, %rd570;
	cvt.u32.u64 	%r35, %rd38;
	shl.b64 	%rd280, %rd14, %r35;
	selp.b64 	%rd281, %rd280, 0, %p14;
	or.b64  	%rd569, %rd281, %rd569;
	setp.eq.s64 	%p15, %rd279, 0;
	selp.u64 	%rd282, 1, 0, %p15;
	add.s64 	%rd571, %rd571, %rd282;
	selp.u64 	%rd283, 1, 0, %p14;
	add.s64 	%rd572, %rd572, %rd283;
$L__BB0_24:
	cvt.u32.u64 	%r36, %rd38;
	add.s32 	%r107, %r36, %r26;
	setp.lt.u32 	%p16, %r107, 64;
	@%p16 bra 	$L__BB0_18;
$L__BB0_25:
	mul.lo.s64 	%rd284, %rd646, -7046029254386353131;
	add.s64 	%rd285, %rd284, %rd569;
	add.s64 	%rd286, %rd285, -7046029254386353131;
	shr.u64 	%rd287, %rd286, 30;
	xor.b64  	%rd288, %rd287, %rd286;
	mul.lo.s64 	%rd289, %rd288, -4658895280553007687;
	shr.u64 	%rd290, %rd289, 27;
	xor.b64  	%rd291, %rd290, %rd289;
	mul.lo.s64 	%rd292, %rd291, -7723592293110705685;
	shr.u64 	%rd293, %rd292, 31;
	xor.b64  	%rd294, %rd293, %rd292;
	add.s64 	%rd57, %rd294, %rd642;
	@%p10 bra 	$L__BB0_34;
	mov.u32 	%r108, 0;
$L__BB0_27:
	cvt.u64.u32 	%rd63, %r108;
	shr.u64 	%rd295, %rd582, %r108;
	and.b64  	%rd64, %rd295, %rd14;
	and.b64  	%rd296, %rd64, %rd9;
	setp.eq.s64 	%p18, %rd296, %rd9;
	@%p18 bra 	$L__BB0_29;
	bra.uni 	$L__BB0_28;
$L__BB0_29:
	add.s64 	%rd556, %rd646, %rd6;
	shl.b64 	%rd555, %rd556, 6;
	add.s64 	%rd66, %rd555, %rd63;
	and.b64  	%rd300, %rd66, -4294967296;
	setp.eq.s64 	%p20, %rd300, 0;
	@%p20 bra 	$L__BB0_31;
	div.u64 	%rd586, %rd66, %rd8;
	bra.uni 	$L__BB0_32;
$L__BB0_28:
	setp.eq.s64 	%p19, %rd64, %rd15;
	cvt.u32.u64 	%r40, %rd63;
	shl.b64 	%rd297, %rd15, %r40;
	not.b64 	%rd298, %rd297;
	selp.b64 	%rd299, %rd298, -1, %p19;
	and.b64  	%rd582, %rd299, %rd582;
	bra.uni 	$L__BB0_33;
$L__BB0_31:
	cvt.u32.u64 	%r42, %rd66;
	div.u32 	%r43, %r42, %r26;
	cvt.u64.u32 	%rd586, %r43;
$L__BB0_32:
	and.b64  	%rd301, %rd64, %rd10;
	setp.ne.s64 	%p21, %rd301, 0;
	min.u64 	%rd570, %rd586, %rd570;
	cvt.u32.u64 	%r44, %rd63;
	shl.b64 	%rd302, %rd14, %r44;
	selp.b64 	%rd303, %rd302, 0, %p21;
	or.b64  	%rd582, %rd303, %rd582;
	setp.eq.s64 	%p22, %rd301, 0;
	selp.u64 	%rd304, 1, 0, %p22;
	add.s64 	%rd571, %rd571, %rd304;
	selp.u64 	%rd305, 1, 0, %p21;
	add.s64 	%rd572, %rd572, %rd305;
$L__BB0_33:
	cvt.u32.u64 	%r45, %rd63;
	add.s32 	%r108, %r45, %r26;
	setp.lt.u32 	%p23, %r108, 64;
	@%p23 bra 	$L__BB0_27;
$L__BB0_34:
	add.s64 	%rd548, %rd646, %rd6;
	mul.lo.s64 	%rd306, %rd548, -7046029254386353131;
	add.s64 	%rd307, %rd306, %rd582;
	add.s64 	%rd308, %rd307, -7046029254386353131;
	shr.u64 	%rd309, %rd308, 30;
	xor.b64  	%rd310, %rd309, %rd308;
	mul.lo.s64 	%rd311, %rd310, -4658895280553007687;
	shr.u64 	%rd312, %rd311, 27;
	xor.b64  	%rd313, %rd312, %rd311;
	mul.lo.s64 	%rd314, %rd313, -7723592293110705685;
	shr.u64 	%rd315, %rd314, 31;
	xor.b64  	%rd316, %rd315, %rd314;
	add.s64 	%rd82, %rd57, %rd316;
	@%p10 bra 	$L__BB0_43;
	mov.u32 	%r109, 0;
$L__BB0_36:
	cvt.u64.u32 	%rd88, %r109;
	shr.u64 	%rd317, %rd595, %r109;
	and.b64  	%rd89, %rd317, %rd14;
	and.b64  	%rd318, %rd89, %rd9;
	setp.eq.s64 	%p25, %rd318, %rd9;
	@%p25 bra 	$L__BB0_38;
	bra.uni 	$L__BB0_37;
$L__BB0_38:
	add.s64 	%rd559, %rd646, %rd6;
	add.s64 	%rd558, %rd559, %rd6;
	shl.b64 	%rd557, %rd558, 6;
	add.s64 	%rd91, %rd557, %rd88;
	and.b64  	%rd322, %rd91, -4294967296;
	setp.eq.s64 	%p27, %rd322, 0;
	@%p27 bra 	$L__BB0_40;
	div.u64 	%rd599, %rd91, %rd8;
	bra.uni 	$L__BB0_41;
$L__BB0_37:
	setp.eq.s64 	%p26, %rd89, %rd15;
	cvt.u32.u64 	%r49, %rd88;
	shl.b64 	%rd319, %rd15, %r49;
	not.b64 	%rd320, %rd319;
	selp.b64 	%rd321, %rd320, -1, %p26;
	and.b64  	%rd595, %rd321, %rd595;
	bra.uni 	$L__BB0_42;
$L__BB0_40:
	cvt.u32.u64 	%r51, %rd91;
	div.u32 	%r52, %r51, %r26;
	cvt.u64.u32 	%rd599, %r52;
$L__BB0_41:
	and.b64  	%rd323, %rd89, %rd10;
	setp.ne.s64 	%p28, %rd323, 0;
	min.u64 	%rd570, %rd599, %rd570;
	cvt.u32.u64 	%r53, %rd88;
	shl.b64 	%rd324, %rd14, %r53;
	selp.b64 	%rd325, %rd324, 0, %p28;
	or.b64  	%rd595, %rd325, %rd595;
	setp.eq.s64 	%p29, %rd323, 0;
	selp.u64 	%rd326, 1, 0, %p29;
	add.s64 	%rd571, %rd571, %rd326;
	selp.u64 	%rd327, 1, 0, %p28;
	add.s64 	%rd572, %rd572, %rd327;
$L__BB0_42:
	cvt.u32.u64 	%r54, %rd88;
	add.s32 	%r109, %r54, %r26;
	setp.lt.u32 	%p30, %r109, 64;
	@%p30 bra 	$L__BB0_36;
$L__BB0_43:
	add.s64 	%rd554, %rd646, %rd6;
	add.s64 	%rd553, %rd554, %rd6;
	mul.lo.s64 	%rd328, %rd553, -7046029254386353131;
	add.s64 	%rd329, %rd328, %rd595;
	add.s64 	%rd330, %rd329, -7046029254386353131;
	shr.u64 	%rd331, %rd330, 30;
	xor.b64  	%rd332, %rd331, %rd330;
	mul.lo.s64 	%rd333, %rd332, -4658895280553007687;
	shr.u64 	%rd334, %rd333, 27;
	xor.b64  	%rd335, %rd334, %rd333;
	mul.lo.s64 	%rd336, %rd335, -7723592293110705685;
	shr.u64 	%rd337, %rd336, 31;
	xor.b64  	%rd338, %rd337, %rd336;
	add.s64 	%rd107, %rd82, %rd338;
	@%p10 bra 	$L__BB0_52;
	mov.u32 	%r110, 0;
$L__BB0_45:
	cvt.u64.u32 	%rd113, %r110;
	shr.u64 	%rd339, %rd608, %r110;
	and.b64  	%rd114, %rd339, %rd14;
	and.b64  	%rd340, %rd114, %rd9;
	setp.eq.s64 	%p32, %rd340, %rd9;
	@%p32 bra 	$L__BB0_47;
	bra.uni 	$L__BB0_46;
$L__BB0_47:
	shl.b64 	%rd560, %rd562, 6;
	add.s64 	%rd116, %rd560, %rd113;
	and.b64  	%rd344, %rd116, -4294967296;
	setp.eq.s64 	%p34, %rd344, 0;
	@%p34 bra 	$L__BB0_49;
	div.u64 	%rd612, %rd116, %rd8;
	bra.uni 	$L__BB0_50;
$L__BB0_46:
	setp.eq.s64 	%p33, %rd114, %rd15;
	cvt.u32.u64 	%r58, %rd113;
	shl.b64 	%rd341, %rd15, %r58;
	not.b64 	%rd342, %rd341;
	selp.b64 	%rd343, %rd342, -1, %p33;
	and.b64  	%rd608, %rd343, %rd608;
	bra.uni 	$L__BB0_51;
$L__BB0_49:
	cvt.u32.u64 	%r60, %rd116;
	div.u32 	%r61, %r60, %r26;
	cvt.u64.u32 	%rd612, %r61;
$L__BB0_50:
	and.b64  	%rd345, %rd114, %rd10;
	setp.ne.s64 	%p35, %rd345, 0;
	min.u64 	%rd570, %rd612, %rd570;
	cvt.u32.u64 	%r62, %rd113;
	shl.b64 	%rd346, %rd14, %r62;
	selp.b64 	%rd347, %rd346, 0, %p35;
	or.b64  	%rd608, %rd347, %rd608;
	setp.eq.s64 	%p36, %rd345, 0;
	selp.u64 	%rd348, 1, 0, %p36;
	add.s64 	%rd571, %rd571, %rd348;
	selp.u64 	%rd349, 1, 0, %p35;
	add.s64 	%rd572, %rd572, %rd349;
$L__BB0_51:
	cvt.u32.u64 	%r63, %rd113;
	add.s32 	%r110, %r63, %r26;
	setp.lt.u32 	%p37, %r110, 64;
	@%p37 bra 	$L__BB0_45;
$L__BB0_52:
	add.s64 	%rd568, %rd31, %rd18;
	mul.lo.s64 	%rd350, %rd562, -7046029254386353131;
	add.s64 	%rd351, %rd350, %rd608;
	add.s64 	%rd352, %rd351, -7046029254386353131;
	shr.u64 	%rd353, %rd352, 30;
	xor.b64  	%rd354, %rd353, %rd352;
	mul.lo.s64 	%rd355, %rd354, -4658895280553007687;
	shr.u64 	%rd356, %rd355, 27;
	xor.b64  	%rd357, %rd356, %rd355;
	mul.lo.s64 	%rd358, %rd357, -7723592293110705685;
	shr.u64 	%rd359, %rd358, 31;
	xor.b64  	%rd360, %rd359, %rd358;
	add.s64 	%rd642, %rd107, %rd360;
	add.s64 	%rd646, %rd646, %rd16;
	add.s64 	%rd562, %rd646, %rd12;
	setp.lt.u64 	%p38, %rd562, %rd11;
	@%p38 bra 	$L__BB0_16;
$L__BB0_53:
	setp.ge.u64 	%p39, %rd646, %rd11;
	@%p39 bra 	$L__BB0_66;
	cvt.u32.u64 	%r65, %rd8;
	setp.eq.s32 	%p40, %r65, 0;
	mov.u32 	%r66, 64;
	sub.s32 	%r67, %r66, %r65;
	mov.u64 	%rd361, -1;
	shr.u64 	%rd141, %rd361, %r67;
	@%p40 bra 	$L__BB0_65;
	shr.u64 	%rd362, %rd141, 1;
	add.s64 	%rd142, %rd362, 1;
$L__BB0_56:
	shl.b64 	%rd363, %rd646, 3;
	add.s64 	%rd364, %rd1, %rd363;
	ld.global.u64 	%rd631, [%rd364];
	shl.b64 	%rd149, %rd646, 6;
	mov.u32 	%r111, 0;
$L__BB0_57:
	cvt.u64.u32 	%rd154, %r111;
	shr.u64 	%rd365, %rd631, %r111;
	and.b64  	%rd155, %rd365, %rd141;
	and.b64  	%rd366, %rd155, %rd9;
	setp.eq.s64 	%p41, %rd366, %rd9;
	@%p41 bra 	$L__BB0_59;
	bra.uni 	$L__BB0_58;
$L__BB0_59:
	add.s64 	%rd157, %rd149, %rd154;
	and.b64  	%rd370, %rd157, -4294967296;
	setp.eq.s64 	%p43, %rd370, 0;
	@%p43 bra 	$L__BB0_61;
	div.u64 	%rd635, %rd157, %rd8;
	bra.uni 	$L__BB0_62;
$L__BB0_58:
	setp.eq.s64 	%p42, %rd155, %rd142;
	cvt.u32.u64 	%r69, %rd154;
	shl.b64 	%rd367, %rd142, %r69;
	not.b64 	%rd368, %rd367;
	selp.b64 	%rd369, %rd368, -1, %p42;
	and.b64  	%rd631, %rd369, %rd631;
	bra.uni 	$L__BB0_63;
$L__BB0_61:
	cvt.u32.u64 	%r71, %rd157;
	div.u32 	%r72, %r71, %r65;
	cvt.u64.u32 	%rd635, %r72;
$L__BB0_62:
	and.b64  	%rd371, %rd155, %rd10;
	setp.ne.s64 	%p44, %rd371, 0;
	min.u64 	%rd570, %rd635, %rd570;
	cvt.u32.u64 	%r73, %rd154;
	shl.b64 	%rd372, %rd141, %r73;
	selp.b64 	%rd373, %rd372, 0, %p44;
	or.b64  	%rd631, %rd373, %rd631;
	setp.eq.s64 	%p45, %rd371, 0;
	selp.u64 	%rd374, 1, 0, %p45;
	add.s64 	%rd571, %rd571, %rd374;
	selp.u64 	%rd375, 1, 0, %p44;
	add.s64 	%rd572, %rd572, %rd375;
$L__BB0_63:
	cvt.u32.u64 	%r74, %rd154;
	add.s32 	%r111, %r74, %r65;
	setp.lt.u32 	%p46, %r111, 64;
	@%p46 bra 	$L__BB0_57;
	mul.lo.s64 	%rd376, %rd646, -7046029254386353131;
	add.s64 	%rd377, %rd376, %rd631;
	add.s64 	%rd378, %rd377, -7046029254386353131;
	shr.u64 	%rd379, %rd378, 30;
	xor.b64  	%rd380, %rd379, %rd378;
	mul.lo.s64 	%rd381, %rd380, -4658895280553007687;
	shr.u64 	%rd382, %rd381, 27;
	xor.b64  	%rd383, %rd382, %rd381;
	mul.lo.s64 	%rd384, %rd383, -7723592293110705685;
	shr.u64 	%rd385, %rd384, 31;
	xor.b64  	%rd386, %rd385, %rd384;
	add.s64 	%rd642, %rd386, %rd642;
	add.s64 	%rd646, %rd646, %rd6;
	setp.lt.u64 	%p47, %rd646, %rd11;
	@%p47 bra 	$L__BB0_56;
	bra.uni 	$L__BB0_66;
$L__BB0_65:
	shl.b64 	%rd387, %rd646, 3;
	add.s64 	%rd388, %rd1, %rd387;
	mul.lo.s64 	%rd389, %rd646, -7046029254386353131;
	ld.global.u64 	%rd390, [%rd388];
	add.s64 	%rd391, %rd389, %rd390;
	add.s64 	%rd392, %rd391, -7046029254386353131;
	shr.u64 	%rd393, %rd392, 30;
	xor.b64  	%rd394, %rd393, %rd392;
	mul.lo.s64 	%rd395, %rd394, -4658895280553007687;
	shr.u64 	%rd396, %rd395, 27;
	xor.b64  	%rd397, %rd396, %rd395;
	mul.lo.s64 	%rd398, %rd397, -7723592293110705685;
	shr.u64 	%rd399, %rd398, 31;
	xor.b64  	%rd400, %rd399, %rd398;
	add.s64 	%rd642, %rd400, %rd642;
	add.s64 	%rd646, %rd646, %rd6;
	setp.lt.u64 	%p48, %rd646, %rd11;
	@%p48 bra 	$L__BB0_65;
$L__BB0_66:
	shl.b64 	%rd647, %rd646, 3;
	setp.ge.u64 	%p49, %rd647, %rd244;
	@%p49 bra 	$L__BB0_85;
	cvt.u32.u64 	%r76, %rd8;
	setp.eq.s32 	%p50, %r76, 0;
	mov.u32 	%r77, 64;
	sub.s32 	%r78, %r77, %r76;
	mov.u64 	%rd401, -1;
	shr.u64 	%rd181, %rd401, %r78;
	@%p50 bra 	$L__BB0_81;
	shr.u64 	%rd402, %rd181, 1;
	add.s64 	%rd182, %rd402, 1;
$L__BB0_69:
	sub.s64 	%rd189, %rd244, %rd647;
	setp.eq.s64 	%p51, %rd189, 0;
	mov.u64 	%rd656, 0;
	@%p51 bra 	$L__BB0_72;
	mov.u64 	%rd653, 0;
	mov.u32 	%r112, 0;
	mov.u64 	%rd656, %rd653;
$L__BB0_71:
	add.s64 	%rd406, %rd653, %rd647;
	add.s64 	%rd407, %rd1, %rd406;
	ld.global.u8 	%rd408, [%rd407];
	shl.b32 	%r80, %r112, 3;
	shl.b64 	%rd409, %rd408, %r80;
	or.b64  	%rd656, %rd409, %rd656;
	add.s32 	%r112, %r112, 1;
	setp.lt.u32 	%p52, %r112, 8;
	cvt.u64.u32 	%rd653, %r112;
	setp.gt.u64 	%p53, %rd189, %rd653;
	and.pred  	%p54, %p52, %p53;
	@%p54 bra 	$L__BB0_71;
$L__BB0_72:
	shl.b64 	%rd195, %rd646, 6;
	mov.u32 	%r113, 0;
$L__BB0_73:
	cvt.u64.u32 	%rd200, %r113;
	shr.u64 	%rd410, %rd656, %r113;
	and.b64  	%rd201, %rd410, %rd181;
	and.b64  	%rd411, %rd201, %rd9;
	setp.eq.s64 	%p55, %rd411, %rd9;
	@%p55 bra 	$L__BB0_75;
	bra.uni 	$L__BB0_74;
$L__BB0_75:
	add.s64 	%rd203, %rd195, %rd200;
	and.b64  	%rd415, %rd203, -4294967296;
	setp.eq.s64 	%p57, %rd415, 0;
	@%p57 bra 	$L__BB0_77;
	div.u64 	%rd660, %rd203, %rd8;
	bra.uni 	$L__BB0_78;
$L__BB0_74:
	setp.eq.s64 	%p56, %rd201, %rd182;
	cvt.u32.u64 	%r82, %rd200;
	shl.b64 	%rd412, %rd182, %r82;
	not.b64 	%rd413, %rd412;
	selp.b64 	%rd414, %rd413, -1, %p56;
	and.b64  	%rd656, %rd414, %rd656;
	bra.uni 	$L__BB0_79;
$L__BB0_77:
	cvt.u32.u64 	%r84, %rd203;
	div.u32 	%r85, %r84, %r76;
	cvt.u64.u32 	%rd660, %r85;
$L__BB0_78:
	and.b64  	%rd416, %rd201, %rd10;
	setp.ne.s64 	%p58, %rd416, 0;
	min.u64 	%rd570, %rd660, %rd570;
	cvt.u32.u64 	%r86, %rd200;
	shl.b64 	%rd417, %rd181, %r86;
	selp.b64 	%rd418, %rd417, 0, %p58;
	or.b64  	%rd656, %rd418, %rd656;
	setp.eq.s64 	%p59, %rd416, 0;
	selp.u64 	%rd419, 1, 0, %p59;
	add.s64 	%rd571, %rd571, %rd419;
	selp.u64 	%rd420, 1, 0, %p58;
	add.s64 	%rd572, %rd572, %rd420;
$L__BB0_79:
	cvt.u32.u64 	%r87, %rd200;
	add.s32 	%r113, %r87, %r76;
	setp.lt.u32 	%p60, %r113, 64;
	@%p60 bra 	$L__BB0_73;
	mul.lo.s64 	%rd421, %rd646, -7046029254386353131;
	add.s64 	%rd422, %rd421, %rd656;
	add.s64 	%rd423, %rd422, -7046029254386353131;
	shr.u64 	%rd424, %rd423, 30;
	xor.b64  	%rd425, %rd424, %rd423;
	mul.lo.s64 	%rd426, %rd425, -4658895280553007687;
	shr.u64 	%rd427, %rd426, 27;
	xor.b64  	%rd428, %rd427, %rd426;
	mul.lo.s64 	%rd429, %rd428, -7723592293110705685;
	shr.u64 	%rd430, %rd429, 31;
	xor.b64  	%rd431, %rd430, %rd429;
	add.s64 	%rd642, %rd431, %rd642;
	add.s64 	%rd646, %rd646, %rd6;
	shl.b64 	%rd647, %rd646, 3;
	setp.lt.u64 	%p61, %rd647, %rd244;
	@%p61 bra 	$L__BB0_69;
	bra.uni 	$L__BB0_85;
$L__BB0_81:
	sub.s64 	%rd221, %rd244, %rd647;
	setp.eq.s64 	%p62, %rd221, 0;
	mov.u64 	%rd670, 0;
	@%p62 bra 	$L__BB0_84;
	mov.u64 	%rd668, 0;
	mov.u32 	%r114, 0;
	mov.u64 	%rd670, %rd668;
$L__BB0_83:
	add.s64 	%rd435, %rd668, %rd647;
	add.s64 	%rd436, %rd1, %rd435;
	ld.global.u8 	%rd437, [%rd436];
	shl.b32 	%r90, %r114, 3;
	shl.b64 	%rd438, %rd437, %r90;
	or.b64  	%rd670, %rd438, %rd670;
	add.s32 	%r114, %r114, 1;
	setp.lt.u32 	%p63, %r114, 8;
	cvt.u64.u32 	%rd668, %r114;
	setp.gt.u64 	%p64, %rd221, %rd668;
	and.pred  	%p65, %p63, %p64;
	@%p65 bra 	$L__BB0_83;
$L__BB0_84:
	mul.lo.s64 	%rd439, %rd646, -7046029254386353131;
	add.s64 	%rd440, %rd439, %rd670;
	add.s64 	%rd441, %rd440, -7046029254386353131;
	shr.u64 	%rd442, %rd441, 30;
	xor.b64  	%rd443, %rd442, %rd441;
	mul.lo.s64 	%rd444, %rd443, -4658895280553007687;
	shr.u64 	%rd445, %rd444, 27;
	xor.b64  	%rd446, %rd445, %rd444;
	mul.lo.s64 	%rd447, %rd446, -7723592293110705685;
	shr.u64 	%rd448, %rd447, 31;
	xor.b64  	%rd449, %rd448, %rd447;
	add.s64 	%rd642, %rd449, %rd642;
	add.s64 	%rd646, %rd646, %rd6;
	shl.b64 	%rd647, %rd646, 3;
	setp.lt.u64 	%p66, %rd647, %rd244;
	@%p66 bra 	$L__BB0_81;
$L__BB0_85:
	mov.u32 	%r98, %tid.x;
	shl.b32 	%r91, %r98, 3;
	mov.u32 	%r92, _ZZ17warpsafe_checksumE4sums;
	add.s32 	%r18, %r92, %r91;
	st.shared.u64 	[%r18], %rd642;
	mov.u32 	%r93, _ZZ17warpsafe_checksumE4nans;
	add.s32 	%r19, %r93, %r91;
	st.shared.u64 	[%r19], %rd572;
	mov.u32 	%r94, _ZZ17warpsafe_checksumE10infinities;
	add.s32 	%r20, %r94, %r91;
	st.shared.u64 	[%r20], %rd571;
	mov.u32 	%r95, _ZZ17warpsafe_checksumE6firsts;
	add.s32 	%r21, %r95, %r91;
	st.shared.u64 	[%r21], %rd570;
	bar.sync 	0;
	setp.gt.u32 	%p67, %r98, 255;
	@%p67 bra 	$L__BB0_88;
	ld.shared.u64 	%rd450, [%r18];
	ld.shared.u64 	%rd451, [%r18+2048];
	add.s64 	%rd452, %rd450, %rd451;
	st.shared.u64 	[%r18], %rd452;
	ld.shared.u64 	%rd453, [%r19+2048];
	ld.shared.u64 	%rd454, [%r19];
	add.s64 	%rd455, %rd454, %rd453;
	st.shared.u64 	[%r19], %rd455;
	ld.shared.u64 	%rd456, [%r20+2048];
	ld.shared.u64 	%rd457, [%r20];
	add.s64 	%rd458, %rd457, %rd456;
	st.shared.u64 	[%r20], %rd458;
	ld.shared.u64 	%rd459, [%r21];
	ld.shared.u64 	%rd234, [%r21+2048];
	setp.ge.u64 	%p68, %rd234, %rd459;
	@%p68 bra 	$L__BB0_88;
	st.shared.u64 	[%r21], %rd234;
$L__BB0_88:
	mov.u32 	%r99, %tid.x;
	bar.sync 	0;
	setp.gt.u32 	%p69, %r99, 127;
	@%p69 bra 	$L__BB0_91;
	ld.shared.u64 	%rd460, [%r18];
	ld.shared.u64 	%rd461, [%r18+1024];
	add.s64 	%rd462, %rd460, %rd461;
	st.shared.u64 	[%r18], %rd462;
	ld.shared.u64 	%rd463, [%r19+1024];
	ld.shared.u64 	%rd464, [%r19];
	add.s64 	%rd465, %rd464, %rd463;
	st.shared.u64 	[%r19], %rd465;
	ld.shared.u64 	%rd466, [%r20+1024];
	ld.shared.u64 	%rd467, [%r20];
	add.s64 	%rd468, %rd467, %rd466;
	st.shared.u64 	[%r20], %rd468;
	ld.shared.u64 	%rd469, [%r21];
	ld.shared.u64 	%rd235, [%r21+1024];
	setp.ge.u64 	%p70, %rd235, %rd469;
	@%p70 bra 	$L__BB0_91;
	st.shared.u64 	[%r21], %rd235;
$L__BB0_91:
	mov.u32 	%r100, %tid.x;
	bar.sync 	0;
	setp.gt.u32 	%p71, %r100, 63;
	@%p71 bra 	$L__BB0_94;
	ld.shared.u64 	%rd470, [%r18];
	ld.shared.u64 	%rd471, [%r18+512];
	add.s64 	%rd472, %rd470, %rd471;
	st.shared.u64 	[%r18], %rd472;
	ld.shared.u64 	%rd473, [%r19+512];
	ld.shared.u64 	%rd474, [%r19];
	add.s64 	%rd475, %rd474, %rd473;
	st.shared.u64 	[%r19], %rd475;
	ld.shared.u64 	%rd476, [%r20+512];
	ld.shared.u64 	%rd477, [%r20];
	add.s64 	%rd478, %rd477, %rd476;
	st.shared.u64 	[%r20], %rd478;
	ld.shared.u64 	%rd479, [%r21];
	ld.shared.u64 	%rd236, [%r21+512];
	setp.ge.u64 	%p72, %rd236, %rd479;
	@%p72 bra 	$L__BB0_94;
	st.shared.u64 	[%r21], %rd236;
$L__BB0_94:
	mov.u32 	%r101, %tid.x;
	bar.sync 	0;
	setp.gt.u32 	%p73, %r101, 31;
	@%p73 bra 	$L__BB0_97;
	ld.shared.u64 	%rd480, [%r18];
	ld.shared.u64 	%rd481, [%r18+256];
	add.s64 	%rd482, %rd480, %rd481;
	st.shared.u64 	[%r18], %rd482;
	ld.shared.u64 	%rd483, [%r19+256];
	ld.shared.u64 	%rd484, [%r19];
	add.s64 	%rd485, %rd484, %rd483;
	st.shared.u64 	[%r19], %rd485;
	ld.shared.u64 	%rd486, [%r20+256];
	ld.shared.u64 	%rd487, [%r20];
	add.s64 	%rd488, %rd487, %rd486;
	st.shared.u64 	[%r20], %rd488;
	ld.shared.u64 	%rd489, [%r21];
	ld.shared.u64 	%rd237, [%r21+256];
	setp.ge.u64 	%p74, %rd237, %rd489;
	@%p74 bra 	$L__BB0_97;
	st.shared.u64 	[%r21], %rd237;
$L__BB0_97:
	mov.u32 	%r102, %tid.x;
	bar.sync 	0;
	setp.gt.u32 	%p75, %r102, 15;
	@%p75 bra 	$L__BB0_100;
	ld.shared.u64 	%rd490, [%r18];
	ld.shared.u64 	%rd491, [%r18+128];
	add.s64 	%rd492, %rd490, %rd491;
	st.shared.u64 	[%r18], %rd492;
	ld.shared.u64 	%rd493, [%r19+128];
	ld.shared.u64 	%rd494, [%r19];
	add.s64 	%rd495, %rd494, %rd493;
	st.shared.u64 	[%r19], %rd495;
	ld.shared.u64 	%rd496, [%r20+128];
	ld.shared.u64 	%rd497, [%r20];
	add.s64 	%rd498, %rd497, %rd496;
	st.shared.u64 	[%r20], %rd498;
	ld.shared.u64 	%rd499, [%r21];
	ld.shared.u64 	%rd238, [%r21+128];
	setp.ge.u64 	%p76, %rd238, %rd499;
	@%p76 bra 	$L__BB0_100;
	st.shared.u64 	[%r21], %rd238;
$L__BB0_100:
	mov.u32 	%r103, %tid.x;
	bar.sync 	0;
	setp.gt.u32 	%p77, %r103, 7;
	@%p77 bra 	$L__BB0_103;
	ld.shared.u64 	%rd500, [%r18];
	ld.shared.u64 	%rd501, [%r18+64];
	add.s64 	%rd502, %rd500, %rd501;
	st.shared.u64 	[%r18], %rd502;
	ld.shared.u64 	%rd503, [%r19+64];
	ld.shared.u64 	%rd504, [%r19];
	add.s64 	%rd505, %rd504, %rd503;
	st.shared.u64 	[%r19], %rd505;
	ld.shared.u64 	%rd506, [%r20+64];
	ld.shared.u64 	%rd507, [%r20];
	add.s64 	%rd508, %rd507, %rd506;
	st.shared.u64 	[%r20], %rd508;
	ld.shared.u64 	%rd509, [%r21];
	ld.shared.u64 	%rd239, [%r21+64];
	setp.ge.u64 	%p78, %rd239, %rd509;
	@%p78 bra 	$L__BB0_103;
	st.shared.u64 	[%r21], %rd239;
$L__BB0_103:
	mov.u32 	%r104, %tid.x;
	bar.sync 	0;
	setp.gt.u32 	%p79, %r104, 3;
	@%p79 bra 	$L__BB0_106;
	ld.shared.u64 	%rd510, [%r18];
	ld.shared.u64 	%rd511, [%r18+32];
	add.s64 	%rd512, %rd510, %rd511;
	st.shared.u64 	[%r18], %rd512;
	ld.shared.u64 	%rd513, [%r19+32];
	ld.shared.u64 	%rd514, [%r19];
	add.s64 	%rd515, %rd514, %rd513;
	st.shared.u64 	[%r19], %rd515;
	ld.shared.u64 	%rd516, [%r20+32];
	ld.shared.u64 	%rd517, [%r20];
	add.s64 	%rd518, %rd517, %rd516;
	st.shared.u64 	[%r20], %rd518;
	ld.shared.u64 	%rd519, [%r21];
	ld.shared.u64 	%rd240, [%r21+32];
	setp.ge.u64 	%p80, %rd240, %rd519;
	@%p80 bra 	$L__BB0_106;
	st.shared.u64 	[%r21], %rd240;
$L__BB0_106:
	mov.u32 	%r105, %tid.x;
	bar.sync 	0;
	setp.gt.u32 	%p81, %r105, 1;
	@%p81 bra 	$L__BB0_109;
	ld.shared.u64 	%rd520, [%r18];
	ld.shared.u64 	%rd521, [%r18+16];
	add.s64 	%rd522, %rd520, %rd521;
	st.shared.u64 	[%r18], %rd522;
	ld.shared.u64 	%rd523, [%r19+16];
	ld.shared.u64 	%rd524, [%r19];
	add.s64 	%rd525, %rd524, %rd523;
	st.shared.u64 	[%r19], %rd525;
	ld.shared.u64 	%rd526, [%r20+16];
	ld.shared.u64 	%rd527, [%r20];
	add.s64 	%rd528, %rd527, %rd526;
	st.shared.u64 	[%r20], %rd528;
	ld.shared.u64 	%rd529, [%r21];
	ld.shared.u64 	%rd241, [%r21+16];
	setp.ge.u64 	%p82, %rd241, %rd529;
	@%p82 bra 	$L__BB0_109;
	st.shared.u64 	[%r21], %rd241;
$L__BB0_109:
	mov.u32 	%r106, %tid.x;
	bar.sync 	0;
	setp.ne.s32 	%p83, %r106, 0;
	@%p83 bra 	$L__BB0_112;
	ld.shared.u64 	%rd530, [_ZZ17warpsafe_checksumE4sums+8];
	ld.shared.u64 	%rd531, [%r18];
	add.s64 	%rd532, %rd531, %rd530;
	st.shared.u64 	[%r18], %rd532;
	ld.shared.u64 	%rd533, [%r19];
	ld.shared.u64 	%rd534, [_ZZ17warpsafe_checksumE4nans+8];
	add.s64 	%rd535, %rd533, %rd534;
	st.shared.u64 	[%r19], %rd535;
	ld.shared.u64 	%rd536, [%r20];
	ld.shared.u64 	%rd537, [_ZZ17warpsafe_checksumE10infinities+8];
	add.s64 	%rd538, %rd536, %rd537;
	st.shared.u64 	[%r20], %rd538;
	ld.shared.u64 	%rd539, [%r21];
	ld.shared.u64 	%rd242, [_ZZ17warpsafe_checksumE6firsts+8];
	setp.ge.u64 	%p84, %rd242, %rd539;
	@%p84 bra 	$L__BB0_112;
	st.shared.u64 	[%r21], %rd242;
$L__BB0_112:
	@%p83 bra 	$L__BB0_114;
	mov.u32 	%r97, %ctaid.x;
	ld.param.u64 	%rd549, [warpsafe_checksum_param_3];
	ld.shared.u64 	%rd540, [_ZZ17warpsafe_checksumE4sums];
	cvta.to.global.u64 	%rd541, %rd549;
	mul.wide.u32 	%rd542, %r97, 32;
	add.s64 	%rd543, %rd541, %rd542;
	st.global.u64 	[%rd543], %rd540;
	ld.shared.u64 	%rd544, [_ZZ17warpsafe_checksumE4nans];
	st.global.u64 	[%rd543+8], %rd544;
	ld.shared.u64 	%rd545, [_ZZ17warpsafe_checksumE10infinities];
	st.global.u64 	[%rd543+16], %rd545;
	ld.shared.u64 	%rd546, [_ZZ17warpsafe_checksumE6firsts];
	st.global.u64 	[%rd543+24], %rd546;
$L__BB0_114:
	ret;
}
)";

}  // namespace warpsafe::ranks
