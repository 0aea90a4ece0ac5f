"""Tables 3 and 4 of the GEM benchmark (Gehrmann et al., 2021), as printed; `k` means thousands."""

TABLE_3 = """
CommonGen, BART               | 0.301 63.5 32.5 55.1 27.5 0.943 -0.400
CommonGen, T5                 | 0.291 64.0 29.4 54.5 26.4 0.942 -0.412
Czech Restaurant, mT5-small   | 0.229 47.3 28.6 43.0 17.9 0.895 -
Czech Restaurant, mT5-base    | 0.23 48.1 28.8 44.2 17.1 0.898 -
Czech Restaurant, mT5-large   | 0.233 51.3 30.0 46.4 17.5 0.902 -
Czech Restaurant, mT5-XL      | 0.229 52.1 31.3 47.3 17.0 0.905 -
Czech Restaurant, TGen        | 0.152 13.6 0.0 13.6 0.03 0.650 -
Czech Restaurant, TGen+       | 0.151 13.8 0.0 13.8 0.03 0.651 -
Czech Restaurant, TGen++      | 0.167 9.7 0.0 9.7 0.03 0.648 -
DART, BART                    | 0.107 7.1 0.0 7.1 0.02 0.862 -0.261
DART, T5                      | 0.115 8.4 0.0 8.4 0.02 0.901 -0.091
E2E clean, BART               | 0.373 73.6 48.5 57.8 43.5 0.948 0.190
E2E clean, LSTM               | 0.394 75.0 50.3 58.9 46.9 0.950 0.252
E2E clean, T5                 | 0.369 72.6 47.5 56.4 43.0 0.945 0.384
E2E clean, TGen               | 0.391 74.7 49.6 58.4 46.0 0.949 0.412
MLSum (de), mBART             | 0.437 43.8 33.1 39.8 28.2 0.888 -
MLSum (de), mT5-small         | 0.098 11.8 3.4 10.0 5.0 0.826 -
MLSum (de), mT5-base          | 0.099 12.2 3.5 10.2 5.1 0.830 -
MLSum (de), mT5-large         | 0.101 12.4 3.6 10.4 5.2 0.832 -
MLSum (de), mT5-XL            | 0.102 12.6 3.7 10.5 5.3 0.832 -
MLSum (es), mBART             | 0.210 28.4 10.9 22.4 7.4 0.836 -
MLSum (es), mT5-small         | 0.198 28.1 10.5 22.8 8.2 0.834 -
MLSum (es), mT5-base          | 0.214 29.5 11.7 23.9 9.6 0.839 -
MLSum (es), mT5-large         | 0.235 31.8 13.8 26.0 11.0 0.845 -
MLSum (es), mT5-XL            | 0.247 33.1 15.0 27.2 11.9 0.849 -
Schema-Guided, BART           | 0.089 13.6 4.4 11.3 2.7 0.691 -1.355
Schema-Guided, T5             | 0.331 58.2 36.8 52.6 33.4 0.874 0.009
ToTTo, T5                     | 0.363 70.1 48.3 60.1 42.2 0.914 0.179
XSum, PEGASUS                 | 0.216 46.5 23.2 38.1 17.0 0.918 -0.186
WebNLG (en), mBART            | 0.462 83.4 63.1 70.3 66.1 0.967 0.458
WebNLG (en), mT5-small        | 0.442 78.8 59.2 67.2 60.2 0.948 0.416
WebNLG (en), mT5-base         | 0.461 82.3 62.1 69.7 65.2 0.955 0.451
WebNLG (en), mT5-large        | 0.473 83.8 64.4 71.6 68.0 0.959 0.479
WebNLG (en), mT5-XL           | 0.472 83.5 63.6 71.0 67.6 0.958 0.47
WebNLG (ru), mBART            | 0.613 34.8 13.4 33.0 47.0 0.888 -
WebNLG (ru), mT5-small        | 0.553 29.7 10.5 28.4 41.1 0.942 -
WebNLG (ru), mT5-base         | 0.602 33.0 12.7 31.3 44.3 0.949 -
WebNLG (ru), mT5-large        | 0.614 33.4 13.4 32.1 46.4 0.952 -
WebNLG (ru), mT5-XL           | 0.624 34.3 13.7 32.8 47.2 0.952 -
Turk, BART                    | 0.556 90.3 86.1 89.9 88.3 0.967 0.358
Turk, T5                      | 0.649 95.7 92.9 95.5 95.1 0.974 0.495
ASSET, BART                   | 0.560 90.1 82.3 89.6 92.4 0.982 0.407
ASSET, T5                     | 0.581 92.1 92.3 92.6 93.4 0.984 0.468
WikiLingua (es-en), mBART     | 0.178 38.3 15.4 32.4 12.2 0.853 -0.290
WikiLingua (es-en), mBART+    | 0.196 40.7 16.9 34.1 14.3 0.858 -0.248
WikiLingua (es-en), mT5-small | 0.135 29.8 9.8 25.5 7.4 0.832 -0.437
WikiLingua (es-en), mT5-base  | 0.162 36.3 13.7 30.6 10.1 0.85 -0.324
WikiLingua (es-en), mT5-large | 0.183 39.3 15.7 33.0 12.5 0.857 -0.27
WikiLingua (es-en), mT5-XL    | 0.203 41.8 17.4 34.7 15.2 0.862 -0.218
WikiLingua (ru-en), mBART     | 0.153 33.1 11.9 27.8 9.3 0.839 -0.369
WikiLingua (ru-en), mBART+    | 0.174 37.3 14.9 31.9 12.0 0.851 -0.303
WikiLingua (ru-en), mT5-small | 0.128 27.2 8.5 23.2 6.9 0.825 -0.471
WikiLingua (ru-en), mT5-base  | 0.149 32.5 11.1 26.9 8.8 0.839 -0.377
WikiLingua (ru-en), mT5-large | 0.167 35.0 12.7 28.8 11.0 0.846 -0.337
WikiLingua (ru-en), mT5-XL    | 0.185 38.6 15.4 32.3 13.6 0.855 -0.268
WikiLingua (tr-en), mBART     | 0.164 34.4 13.0 28.1 11.7 0.837 -0.414
WikiLingua (tr-en), mBART+    | 0.204 43.7 20.8 37.9 17.5 0.866 -0.252
WikiLingua (tr-en), mT5-small | 0.154 29.4 10.9 23.4 13.0 0.823 -0.595
WikiLingua (tr-en), mT5-base  | 0.168 32.5 13.6 26.0 15.5 0.834 -0.507
WikiLingua (tr-en), mT5-large | 0.185 36.2 15.0 29.1 16.9 0.846 -0.405
WikiLingua (tr-en), mT5-XL    | 0.208 41.5 19.6 34.7 19.9 0.86 -0.291
WikiLingua (vi-en), mBART     | 0.150 32.0 11.1 26.4 9.2 0.836 -0.394
WikiLingua (vi-en), mBART+    | 0.183 38.1 15.4 32.5 13.3 0.853 -0.284
WikiLingua (vi-en), mT5-small | 0.12 23.5 6.0 19.0 6.1 0.812 -0.56
WikiLingua (vi-en), mT5-base  | 0.129 26.0 7.5 20.5 7.4 0.82 -0.513
WikiLingua (vi-en), mT5-large | 0.146 29.9 9.6 23.8 9.2 0.833 -0.421
WikiLingua (vi-en), mT5-XL    | 0.173 35.5 13.0 29.2 12.4 0.847 -0.308
"""
TABLE_4 = """
CommonGen, BART               | 0.57 0.12 0.41 7.1 10.7 583 2.7k 1.2k 10.5
CommonGen, T5                 | 0.51 0.11 0.36 6.5 10.1 465 2.0k 1.0k 9.6
Czech Restaurant, mT5-small   | 0.51 0.04 0.1 6.2 7.8 86 278 287 10.2
Czech Restaurant, mT5-base    | 0.49 0.03 0.09 6.1 7.6 80 249 273 10.5
Czech Restaurant, mT5-large   | 0.57 0.05 0.13 6.6 8.4 103 387 361 10.1
Czech Restaurant, mT5-XL      | 0.6 0.06 0.19 6.8 9.0 146 614 438 9.5
Czech Restaurant, TGen        | 0.57 0.03 0.11 6.4 8.0 58 239 245 9.1
Czech Restaurant, TGen+       | 0.61 0.04 0.12 6.5 8.1 84 290 305 9.2
Czech Restaurant, TGen++      | 0.56 0.04 0.11 6.5 8.1 85 280 297 9.5
DART, BART                    | 0.55 0.19 0.45 8.4 11.3 1.3k 3.6k 2.4k 12.0
DART, T5                      | 0.51 0.19 0.42 8.0 10.7 1.2k 3.1k 2.1k 10.8
E2E clean, BART               | 0.32 0.005 0.02 5.7 7.2 16 104 149 22.0
E2E clean, LSTM               | 0.31 0.004 0.02 5.6 7.1 19 106 139 23.1
E2E clean, T5                 | 0.30 0.004 0.01 5.6 6.9 7 60 125 23.0
E2E clean, TGen               | 0.31 0.004 0.02 5.6 7.2 19 116 140 23.2
MLSum (de), mBART             | 0.78 0.11 0.52 10.6 16.3 27k 166k 46k 35.7
MLSum (de), mT5-small         | 0.75 0.12 0.52 10.4 15.8 20.1k 113.8k 33.6k 24.7
MLSum (de), mT5-base          | 0.76 0.12 0.53 10.4 15.8 20.2k 113.0k 33.3k 24.2
MLSum (de), mT5-large         | 0.76 0.12 0.53 10.4 15.8 20.0k 114.0k 33.3k 24.4
MLSum (de), mT5-XL            | 0.77 0.12 0.53 10.4 15.8 20.0k 114.6k 33.3k 24.5
MLSum (es), mBART             | 0.71 0.10 0.47 10.1 15.7 19k 120k 35k 32.3
MLSum (es), mT5-small         | 0.69 0.12 0.48 10.0 15.1 14.0k 77.6k 25.5k 21.7
MLSum (es), mT5-base          | 0.71 0.12 0.5 10.1 15.3 15.1k 85.2k 27.2k 23.0
MLSum (es), mT5-large         | 0.71 0.12 0.5 10.1 15.3 14.9k 82.0k 26.6k 22.1
MLSum (es), mT5-XL            | 0.72 0.12 0.5 10.1 15.3 14.8k 80.5k 26.1k 21.4
Schema-Guided, BART           | 0.56 0.02 0.06 7.0 9.2 1.8k 6.2k 3.9k 22.0
Schema-Guided, T5             | 0.67 0.03 0.10 7.9 10.6 1.6k 5.8k 3.8k 11.8
ToTTo, T5                     | 0.73 0.18 0.54 10.1 14.4 15k 60k 21k 15.3
XSum, PEGASUS                 | 0.73 0.20 0.64 9.3 13.1 3.0k 13k 5k 22.9
WebNLG (en), mBART            | 0.53 0.09 0.27 8.6 11.8 969 4.0k 3.2k 20.7
WebNLG (en), mT5-small        | 0.5 0.09 0.25 8.6 11.8 864 3.9k 3.2k 22.7
WebNLG (en), mT5-base         | 0.53 0.09 0.27 8.7 11.9 983 4.4k 3.3k 21.7
WebNLG (en), mT5-large        | 0.54 0.09 0.29 8.7 12.0 1.1k 4.8k 3.4k 21.7
WebNLG (en), mT5-XL           | 0.54 0.09 0.29 8.7 12.0 1.1k 4.8k 3.4k 21.6
WebNLG (ru), mBART            | 0.46 0.08 0.20 8.1 10.3 334 1.1k 1.2k 18.9
WebNLG (ru), mT5-small        | 0.43 0.08 0.20 7.9 10.2 349 1.2k 1.2k 19.2
WebNLG (ru), mT5-base         | 0.47 0.09 0.23 8.2 10.7 482 1.6k 1.4k 19.9
WebNLG (ru), mT5-large        | 0.48 0.09 0.24 8.2 10.7 474 1.6k 1.4k 19.4
WebNLG (ru), mT5-XL           | 0.46 0.09 0.22 8.2 10.5 418 1.4k 1.3k 19.5
Turk, BART                    | 0.73 0.23 0.74 9.8 14.1 5.5k 23k 8.6k 18.4
Turk, T5                      | 0.73 0.22 0.72 9.9 14.2 5.9k 25k 9.3k 20.1
ASSET, BART                   | 0.73 0.23 0.73 9.8 14.1 5.9k 24k 9.1k 20.1
ASSET, T5                     | 0.73 0.22 0.72 9.9 14.2 5.9k 26k 9.4k 21.3
WikiLingua (es-en), mBART     | 0.55 0.03 0.19 8.8 14.0 4.7k 63k 15k 29.4
WikiLingua (es-en), mBART+    | 0.58 0.03 0.21 9.1 14.5 5.9k 83k 18k 32.5
WikiLingua (es-en), mT5-small | 0.39 0.03 0.15 8.3 12.8 2.3k 20.9k 8.2k 31.8
WikiLingua (es-en), mT5-base  | 0.52 0.04 0.23 8.7 13.7 3.5k 34.4k 10.3k 28.7
WikiLingua (es-en), mT5-large | 0.57 0.04 0.26 8.9 14.0 4.2k 44.4k 11.7k 30.8
WikiLingua (es-en), mT5-XL    | 0.6 0.04 0.29 9.1 14.4 5.0k 57.7k 13.5k 34.7
WikiLingua (ru-en), mBART     | 0.54 0.04 0.20 8.5 13.3 2.8k 28k 8.7k 27.3
WikiLingua (ru-en), mBART+    | 0.55 0.04 0.23 8.8 13.7 3.5k 35k 10k 28.4
WikiLingua (ru-en), mT5-small | 0.4 0.04 0.19 8.2 12.6 1.5k 11.6k 5.5k 31.8
WikiLingua (ru-en), mT5-base  | 0.55 0.06 0.3 8.6 13.4 2.5k 21.0k 7.1k 28.7
WikiLingua (ru-en), mT5-large | 0.59 0.06 0.32 8.7 13.6 3.0k 26.1k 7.9k 31.1
WikiLingua (ru-en), mT5-XL    | 0.6 0.07 0.35 8.8 13.8 3.4k 29.0k 8.5k 31.4
WikiLingua (tr-en), mBART     | 0.45 0.08 0.28 7.7 11.2 743 4.1k 2.1k 34.2
WikiLingua (tr-en), mBART+    | 0.52 0.12 0.38 8.0 11.9 1.2k 6.1k 2.8k 30.7
WikiLingua (tr-en), mT5-small | 0.55 0.14 0.46 8.1 11.6 935 4.4k 2.1k 40.2
WikiLingua (tr-en), mT5-base  | 0.59 0.16 0.51 8.2 11.9 1.0k 4.8k 2.2k 38.7
WikiLingua (tr-en), mT5-large | 0.58 0.16 0.5 8.1 11.8 1.0k 4.7k 2.2k 38.0
WikiLingua (tr-en), mT5-XL    | 0.58 0.16 0.51 8.2 11.8 1.0k 4.7k 2.1k 36.8
WikiLingua (vi-en), mBART     | 0.54 0.07 0.28 8.2 12.3 1.5k 9.3k 4.0k 26.9
WikiLingua (vi-en), mBART+    | 0.54 0.08 0.33 8.6 12.9 2.1k 13k 5.3k 29.8
WikiLingua (vi-en), mT5-small | 0.5 0.09 0.33 8.2 12.1 1.2k 6.4k 3.1k 32.9
WikiLingua (vi-en), mT5-base  | 0.58 0.12 0.43 8.4 12.6 1.6k 8.9k 3.7k 31.1
WikiLingua (vi-en), mT5-large | 0.6 0.12 0.45 8.5 12.7 1.7k 9.3k 3.8k 30.7
WikiLingua (vi-en), mT5-XL    | 0.61 0.12 0.47 8.6 12.9 1.8k 10.2k 4.0k 31.5
"""
