"""Draws what the trained models were trained to see: lines of text, and a face.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from calibrate import low_frequency

WORDS = ("arena batch channel dense epilogue filter gradient halo image kernel layer matrix norm "
         "output pooling residual stride tensor unit vector weight").split()


def _as_input(pictures):
    """Pictures of bytes as the text models read them: [batch, channel, row, column] from -1 to 1."""
    values = np.stack([np.asarray(picture, np.float32) for picture in pictures])
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2) / 127.5 - 1)


def _line(random, height, width):
    """Dark words that fill a bright picture of the given size from its left."""
    picture = Image.new("RGB", (width, height), "white")
    words = " ".join(random.permutation(WORDS)[:4]) + f" {random.integers(10, 9999)}"
    ImageDraw.Draw(picture).text((4, height // 2), words, fill=(20, 30, 60), anchor="lm",
                                 font=ImageFont.load_default(size=int(height * 0.7)))
    return picture


def text_line(shape, seed):
    """A line of words in each picture."""
    random = np.random.default_rng(seed)
    return _as_input([_line(random, *shape[2:]) for _ in range(shape[0])])


def turned_text_line(shape, seed):
    """A line of words in each picture, upside down for an odd seed."""
    values = text_line(shape, seed)
    return np.ascontiguousarray(values[:, :, ::-1, ::-1]) if seed % 2 else values


def text_page(shape, seed):
    """Lines of words at several places of each picture."""
    random = np.random.default_rng(seed)
    pages = []
    for _ in range(shape[0]):
        page = Image.new("RGB", shape[:1:-1], (235, 235, 225))
        for top in range(8, shape[2] - 30, 40):
            left = int(random.integers(4, shape[3] // 4))
            width = int(random.integers(shape[3] // 3, shape[3] * 2 // 3))
            page.paste(_line(random, 24, width), (left, top))
        pages.append(page)
    return _as_input(pages)


def _face():
    """A face that fills a picture of 480 x 480 points."""
    picture = Image.new("RGB", (480, 480), (90, 110, 90))
    draw = ImageDraw.Draw(picture)
    draw.ellipse((60, 10, 420, 470), fill=(224, 180, 150))
    draw.rectangle((60, 0, 420, 60), fill=(50, 35, 25))
    for x in (160, 320):
        draw.rectangle((x - 55, 125, x + 55, 140), fill=(60, 40, 30))
        draw.ellipse((x - 45, 160, x + 45, 210), fill=(245, 245, 245))
        draw.ellipse((x - 22, 160, x + 22, 208), fill=(50, 30, 20))
    draw.polygon([(240, 200), (205, 310), (275, 310)], fill=(200, 150, 120))
    draw.ellipse((170, 350, 310, 400), fill=(170, 60, 60))
    return picture


def face_or_blocks(shape, seed):
    """For an odd seed a face with some noise, else blocks; [batch, column, row, channel]."""
    batch, width, height, channels = shape
    blocks = low_frequency((batch, channels, width, height), seed, 8).transpose(0, 2, 3, 1)
    if seed % 2 == 0:
        return np.ascontiguousarray(blocks)
    face = np.asarray(_face().resize((height, width), Image.Resampling.BILINEAR), np.float32)
    face = (face.transpose(1, 0, 2) if width == height else face) / 127.5 - 1
    return np.ascontiguousarray(face + np.float32(0.1) * blocks)
