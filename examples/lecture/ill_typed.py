"""A convolution of 64 channels cannot give an image of 3: the types say so before anything is compiled."""

import xrelay
from xrelay import relay

try:
    relay.fromtext("""v0.0
def @main(%x: Tensor[(1, 3, 224, 224), float32]) -> Tensor[(1, 3, 224, 224), float32] {
  %0 = conv2d(%x, @weight, strides=[1, 1], padding=[0, 0, 0, 0], channels=64, kernel_size=[3, 3]);
  %1 = relu(%0);
  %1
}
""")
except xrelay.XRelayError as error:
    print(f"{type(error).__name__}: {error}")
