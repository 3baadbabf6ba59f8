// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @mathematics
func.func @mathematics(%x: tensor<2x?xf16>) {
  // CHECK-NEXT: relay.ceil %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  %0 = relay.ceil %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.floor %x
  %1 = relay.floor %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.trunc %x
  %2 = relay.trunc %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.round %x
  %3 = relay.round %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.round_even %x
  %4 = relay.round_even %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.sqrt %x
  %5 = relay.sqrt %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.rsqrt %x
  %6 = relay.rsqrt %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.exp %x
  %7 = relay.exp %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.log %x
  %8 = relay.log %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.log2 %x
  %9 = relay.log2 %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.log10 %x
  %10 = relay.log10 %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.sigmoid %x
  %11 = relay.sigmoid %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.erf %x
  %12 = relay.erf %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.sin %x
  %13 = relay.sin %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.cos %x
  %14 = relay.cos %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.tan %x
  %15 = relay.tan %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.asin %x
  %16 = relay.asin %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.acos %x
  %17 = relay.acos %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.atan %x
  %18 = relay.atan %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.sinh %x
  %19 = relay.sinh %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.cosh %x
  %20 = relay.cosh %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.tanh %x
  %21 = relay.tanh %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.asinh %x
  %22 = relay.asinh %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.acosh %x
  %23 = relay.acosh %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.atanh %x
  %24 = relay.atanh %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  func.return
}

// CHECK-LABEL: func.func @predicates
func.func @predicates(%x: tensor<4xbf16>) {
  // CHECK-NEXT: relay.isnan %x : (tensor<4xbf16>) -> tensor<4xi1>
  %0 = relay.isnan %x : (tensor<4xbf16>) -> tensor<4xi1>
  // CHECK-NEXT: relay.isinf %x
  %1 = relay.isinf %x : (tensor<4xbf16>) -> tensor<4xi1>
  // CHECK-NEXT: relay.isfinite %x
  %2 = relay.isfinite %x : (tensor<4xbf16>) -> tensor<4xi1>
  // CHECK-NEXT: relay.logical_not %2 : (tensor<4xi1>) -> tensor<4xi1>
  %3 = relay.logical_not %2 : (tensor<4xi1>) -> tensor<4xi1>
  func.return
}

// CHECK-LABEL: func.func @numbers
func.func @numbers(%x: tensor<i8>) {
  // CHECK-NEXT: relay.abs %x : (tensor<i8>) -> tensor<i8>
  %0 = relay.abs %x : (tensor<i8>) -> tensor<i8>
  // CHECK-NEXT: relay.negative %x
  %1 = relay.negative %x : (tensor<i8>) -> tensor<i8>
  // CHECK-NEXT: relay.sign %x
  %2 = relay.sign %x : (tensor<i8>) -> tensor<i8>
  // CHECK-NEXT: relay.bitwise_not %x
  %3 = relay.bitwise_not %x : (tensor<i8>) -> tensor<i8>
  // CHECK-NEXT: relay.copy %x
  %4 = relay.copy %x : (tensor<i8>) -> tensor<i8>
  func.return
}

// CHECK-LABEL: func.func @attributes
func.func @attributes(%x: tensor<4xf32>) {
  // CHECK-NEXT: relay.clip %x {a_min = 0.0, a_max = 6.0} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = relay.clip %x {a_min = 0.0, a_max = 6.0} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: relay.clip %x {a_min = "-inf", a_max = 1.0e-05}
  %1 = relay.clip %x {a_min = "-inf", a_max = 1.0e-05} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: relay.cast %x {dtype = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  %2 = relay.cast %x {dtype = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  // CHECK-NEXT: relay.reinterpret %x {dtype = i32} : (tensor<4xf32>) -> tensor<4xi32>
  %3 = relay.reinterpret %x {dtype = i32} : (tensor<4xf32>) -> tensor<4xi32>
  func.return
}
